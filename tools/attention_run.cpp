#include "tools/attention_run.hpp"

#include <bit>
#include <cmath>

#include "kernels/abi.hpp"

namespace zyfa {

namespace {

LaunchBuffer buffer(const char* name, std::vector<uint64_t> shape, DType type, Init init) {
    LaunchBuffer b;
    b.name = std::string(name);
    b.dtype = type;
    b.init = init;
    b.strides.assign(shape.size(), 1);
    for (size_t i = shape.size() - 1; i-- > 0;) b.strides[i] = b.strides[i + 1] * shape[i + 1];
    b.shape = std::move(shape);
    b.bytes = dtype_bytes(type, b.elements());
    return b;
}

// Value of an argument that is no pointer.
uint64_t scalar(const std::string& name, const LaunchFile& launch, const AttentionShape& s,
                float scale) {
    if (name == "sq") return s.sq;
    if (name == "sk") return s.sk;
    if (name == "heads_per_kv") return s.hq / s.hk;
    if (name == "softmax_scale") return std::bit_cast<uint32_t>(scale);
    if (name.starts_with("descale")) return 0;  // one value for the whole tensor
    const LaunchBuffer& b = *launch.buffer(name.substr(0, name.find('_')));
    if (name.ends_with("_stride_b")) return b.strides[0];
    if (name.ends_with("_stride_h")) return b.strides[b.shape.size() == 4 ? 2 : 1];
    if (name.ends_with("_stride_row")) return b.strides[1];
    throw Error(fmt::format("kernel argument '{}' is not known here", name), Exit::internal);
}

void fill_kernarg(LaunchFile& launch, const AttentionShape& s, float scale) {
    launch.kernarg_bytes = kAttentionArgsBytes;
    for (const AttentionField& field : kAttentionFields) {
        KernargField out;
        out.offset = field.offset;
        out.is_pointer = field.is_pointer;
        out.type = field.bytes == 8 ? DType::u64 : DType::u32;
        if (field.is_pointer) out.buffer = field.name;
        else out.bits = scalar(field.name, launch, s, scale);
        launch.kernarg.push_back(out);
    }
}

LaunchFile make_launch(const Recipe& r, unsigned threads, const AttentionShape& s,
                       const QuantisedData& data, const Tolerance& tolerance) {
    LaunchFile launch;
    launch.name = std::string(r.id);
    launch.kernel = std::string(r.id);
    const AttentionGrid grid = attention_grid(s.b, s.hq, s.sq);
    launch.grid = {grid.x, grid.y, grid.z};
    launch.workgroup = {threads, 1, 1};
    launch.buffers = {
        buffer("k", {s.b, s.sk, s.hk, r.d_qk}, DType::e4m3, Init::zeros),
        buffer("k_descale", {1}, DType::f32, Init::values),
        buffer("lse", {s.b, s.hq, s.sq}, DType::f32, Init::poison),
        buffer("o", {s.b, s.sq, s.hq, r.d_v}, DType::bf16, Init::poison),
        buffer("q", {s.b, s.sq, s.hq, r.d_qk}, DType::e4m3, Init::zeros),
        buffer("q_descale", {1}, DType::f32, Init::values),
        buffer("v", {s.b, s.sk, s.hk, r.d_v}, DType::e4m3, Init::zeros),
        buffer("v_descale", {1}, DType::f32, Init::values),
    };
    launch.buffers[1].values = {data.k.descale};
    launch.buffers[5].values = {data.q.descale};
    launch.buffers[7].values = {data.v.descale};
    const float scale = float(data.scale);
    fill_kernarg(launch, s, scale);
    AttentionCheck check;
    const auto named = [](const char* name) { return std::string(name); };
    check.q = named("q"), check.k = named("k"), check.v = named("v");
    check.o = named("o"), check.lse = named("lse");
    check.causal = r.causal;
    check.scale = scale;
    check.descale = {"q_descale", "k_descale", "v_descale"};
    check.tolerance = tolerance;
    launch.check = check;
    return launch;
}

}  // namespace

Tolerance attention_tolerance(bool rounded_sum) {
    Tolerance t;
    // P is rounded to e4m3: each weight is off by at most half an ulp, 2^-4 of it, evenly spread.
    // That is an rms of 2^-4/sqrt(3) of each term, and of the sum when its terms are independent.
    t.row_rel_err_mean = 0x1p-4 / std::sqrt(3.0);
    // The row sum is kept in fp32; by the matrix pipe it is the sum of rounded weights.
    t.lse_max_abs_err = rounded_sum ? 0.03 : 1e-5;
    return t;
}

AttentionRun prepare_attention(const Recipe& recipe, CodeObject object, const Draw& draw,
                               bool rounded_sum) {
    AttentionRun run;
    const unsigned threads = object.kernel(std::string(recipe.id)).max_flat_workgroup_size;
    run.launch =
        make_launch(recipe, threads, draw.shape, draw.data, attention_tolerance(rounded_sum));
    // With probes a kernel has more arguments, zero here: no stamps.
    run.launch.kernarg_bytes =
        std::max(kAttentionArgsBytes, object.kernel(std::string(recipe.id)).kernarg_bytes);
    run.prepared = prepare(run.launch, std::move(object));
    run.prepared.launch.code = run.prepared.object.code;
    run.prepared.launch.most_wave_instructions =
        most_wave_instructions(draw.shape, run.prepared.object.code.size());
    Memory& memory = run.prepared.memory;
    for (auto [name, tensor] :
         {std::pair{"q", &draw.data.q}, {"k", &draw.data.k}, {"v", &draw.data.v}})
        if (!tensor->codes.empty()) memory.write(memory.address_of(name), tensor->codes);
    run.inputs = attention_inputs(run.launch, run.prepared);
    return run;
}

}  // namespace zyfa
