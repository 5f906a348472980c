#include "report/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/error.hpp"
#include "report/page.inc"

namespace zyfa {
namespace {

using Json = nlohmann::ordered_json;

// Numbers only, each row of the page's data in one array; times from the start of the stretch.
Json to_json(const Recording& r) {
    const auto time = [&](uint64_t cycle) { return int64_t(cycle) - int64_t(r.begin); };
    Json code = Json::array(), waves = Json::array(), transfers = Json::array(),
         barriers = Json::array(), wave_simd = Json::array();
    for (const Recording::Place& p : r.code) code.push_back({p.address, p.text, unsigned(p.kind)});
    std::vector<Json> rows(r.waves, Json::array());
    std::vector<unsigned> simd(r.waves, 0);
    for (size_t n = 0; n < r.issues.size(); ++n) {
        const sim::Issue& i = r.issues[n];
        simd[i.wave] = i.simd;
        for (const int64_t field :
             {int64_t(r.place_number(i.address)), time(i.able), int64_t(i.issued - i.able),
              int64_t(i.waited), int64_t(i.port_cycles), time(i.pipe_begin) - time(i.issued),
              int64_t(i.pipe_end - i.pipe_begin), int64_t(r.until[n] - i.issued)})
            rows[i.wave].push_back(field);
    }
    for (unsigned w = 0; w < r.waves; ++w) {
        waves.push_back(std::move(rows[w]));
        wave_simd.push_back(simd[w]);
    }
    for (const sim::Transfer& t : r.transfers)
        for (const int64_t n :
             {int64_t(t.kind), int64_t(t.wave), int64_t(r.place_number(t.address)), time(t.issued),
              int64_t(t.begin - t.issued), int64_t(t.end - t.begin),
              int64_t(t.arrives) - int64_t(t.issued), int64_t(t.bytes), int64_t(t.conflicts)})
            transfers.push_back(n);
    for (uint64_t b : r.barriers) barriers.push_back(time(b));
    return {{"name", r.name},
            {"about", r.about},
            {"workgroup", r.workgroup},
            {"begin", r.begin},
            {"cycles", r.end - r.begin},
            {"simds", r.simds},
            {"wave_simd", wave_simd},
            {"code", code},
            {"waves", waves},
            {"transfers", transfers},
            {"barriers", barriers}};
}

void replace(std::string& text, std::string_view mark, std::string_view by) {
    const size_t at = text.find(mark);
    if (at == text.npos) throw Error(fmt::format("the page has no {}", mark));
    text.replace(at, mark.size(), by);
}

}  // namespace

std::string timeline_page(std::span<const Recording> recordings) {
    if (recordings.empty() || recordings.size() > 2)
        throw Error("a timeline page shows one run or two", Exit::usage);
    Json data;
    for (unsigned k = 0; k < kKinds; ++k) data["kinds"].push_back(kind_name(Kind(k)));
    for (unsigned s = 0; s < sim::kSpent; ++s) data["spent"].push_back(spent_name(sim::Spent(s)));
    for (const Recording& r : recordings) data["runs"].push_back(to_json(r));
    const std::string plain = data.dump();
    std::string json;  // a "</script>" inside would end it
    for (const char c : plain) {
        if (c == '/' && json.ends_with('<')) json += '\\';
        json += c;
    }

    std::string title = recordings[0].name;
    if (recordings.size() == 2) title += " and " + recordings[1].name;
    std::string escaped;
    for (char c : title)
        if (c == '<') escaped += "&lt;";
        else if (c == '&') escaped += "&amp;";
        else escaped += c;
    std::string page(k_html);
    replace(page, "{{title}}", escaped);
    replace(page, "{{css}}", k_css);
    replace(page, "{{js}}", k_js);
    replace(page, "{{data}}", json);
    return page;
}

}  // namespace zyfa
