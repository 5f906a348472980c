// Findings that somebody has looked at and knows: a text file, one a line,
//     RULE [KERNEL] ADDRESS OTHER    # reason
// ADDRESS and OTHER are the two instructions of the finding, as byte offsets in .text; '-' where
// there is no other end, '*' for any. The reason must be there.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "isa/finding.hpp"

namespace zyfa {

class Suppressions {
public:
    struct Line {
        std::string rule, reason;
        int64_t address, other;  // kAny, kNone
        unsigned number;         // in the file
        mutable std::atomic<uint64_t> hits{0};
    };
    static constexpr int64_t kAny = -1, kNone = 0xffffffff;

    bool empty() const { return lines_.empty(); }
    // Counts a hit; several threads may ask.
    bool hides(std::string_view rule, uint32_t address, uint32_t other) const;
    const std::vector<std::unique_ptr<Line>>& lines() const { return lines_; }
    uint64_t hits() const;

private:
    friend Suppressions parse_suppressions(std::string_view, const std::string&,
                                           const std::string&);
    std::vector<std::unique_ptr<Line>> lines_;
};

// The lines for `kernel`. Error "file:line: ..." for what cannot be read, an unknown rule or a
// missing reason.
Suppressions parse_suppressions(std::string_view text, const std::string& file,
                                const std::string& kernel);
Suppressions load_suppressions(const std::string& file, const std::string& kernel);

// A file that hides these findings of this kernel.
std::string suppressions_of(const std::vector<Finding>&, const std::string& kernel);

// The other end's address, or Suppressions::kNone.
int64_t other_address(const Finding&);

}  // namespace zyfa
