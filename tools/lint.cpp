#include "tools/lint.hpp"

#include <algorithm>

namespace zyfa {

Grant grant_of(const KernelInfo& kernel) {
    Grant grant;
    grant.entry = kernel.entry;
    grant.registers = kernel.register_words();
    grant.accum_offset = kernel.accum_offset();
    grant.sgprs = kernel.scalar_words();
    grant.lds_bytes = kernel.lds_bytes;
    grant.kernarg_bytes = kernel.kernarg_bytes;
    const unsigned flags = kernel.descriptor.properties;  // which user SGPRs come first
    const bool buffer = flags & 1, dispatch = flags & 2, queue = flags & 4;
    if (kernel.kernarg_pointer()) grant.kernarg_sgpr = 4 * buffer + 2 * dispatch + 2 * queue;
    const auto& size = kernel.required_workgroup;
    const uint64_t threads = uint64_t(size[0]) * size[1] * size[2];
    grant.whole_waves = threads && threads % 64 == 0;
    grant.workgroup = size;
    // Without a required size: the largest, if only x of the work-item id is asked for.
    if (!threads && kernel.workitem_id_dims() == 1)
        grant.workgroup = {kernel.max_flat_workgroup_size, 1, 1};
    return grant;
}

std::vector<Finding> lint_findings(const CodeObject& object, Tier tier, bool pedantic) {
    CheckOptions options;
    options.tier = tier;
    options.pedantic = pedantic;
    options.entries.clear();
    for (const KernelInfo& kernel : object.kernels) options.entries.push_back(kernel.entry);
    std::vector<Finding> findings = check(object.code, options);
    for (const KernelInfo& kernel : object.kernels) {
        Grant grant = grant_of(kernel);
        grant.pedantic = pedantic;
        const auto more = check_grant(object.code, grant);
        findings.insert(findings.end(), more.begin(), more.end());
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.address < b.address; });
    findings.insert(findings.end(), object.notes.begin(), object.notes.end());
    return findings;
}

}  // namespace zyfa
