#include "tools/sim_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/findings.hpp"
#include "tools/sim_timing.hpp"

namespace zyfa {

namespace {

Json accuracy(const AttentionError& e) {
    return {{"row_rel_err_mean", finite(e.row_rel_err_mean)},
            {"frobenius_rel_err", finite(e.frobenius_rel_err)},
            {"max_abs_err", finite(e.max_abs_err)},
            {"cosine", finite(e.cosine)},
            {"lse_max_abs_err", e.lse_checked ? finite(e.lse_max_abs_err) : Json(nullptr)},
            {"rows_checked", e.rows_checked},
            {"rows", e.rows_in_all},
            {"mismatches", e.mismatches},
            {"lse_mismatches", e.lse_mismatches},
            {"excused", e.excused}};
}

std::string grouped(uint64_t number) {
    if (number < 1000) return fmt::format("{}", number);
    return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

// "4 WAIT-TIME (warning), 2 LDS-RACE (error)", in order of name.
std::string summary(const std::vector<Finding>& findings) {
    std::map<std::string, unsigned> counts;
    for (const Finding& f : findings) ++counts[fmt::format("{} ({})", f.rule, name_of(f.severity))];
    std::string text;
    for (const auto& [name, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    return text.empty() ? "none" : text;
}

std::string accuracy_text(const AttentionError& e, const std::string& against) {
    std::string text = fmt::format("  {:<14} no comparable rows\n", against);
    if (!std::isnan(e.row_rel_err_mean))
        text = fmt::format(
            "  {:<14} row error {:.3g} (mean, relative), {:.3g} over all, largest {:.3g}, "
            "cosine {:.7f}\n",
            against, e.row_rel_err_mean, e.frobenius_rel_err, e.max_abs_err, e.cosine);
    if (!e.lse_checked) text += "                 LSE not written\n";
    else if (!std::isnan(e.lse_max_abs_err))
        text += fmt::format("                 LSE error {:.3g} at most\n", e.lse_max_abs_err);
    else text += "                 LSE: no comparable rows\n";
    return text +
           fmt::format("                 {} of {} rows compared\n", e.rows_checked, e.rows_in_all);
}

std::string order_text(const SimRecord& r) {
    if (r.repeats) return fmt::format("in random orders 1 to {}", r.repeats->runs);
    if (r.interleave_seed) return fmt::format("in random order {}", r.interleave_seed);
    if (r.result.timing) return "and loads by predicted time";
    if (r.interleave == "in-turn") return "in turn, loads as late as allowed";
    return r.interleave;
}

Json to_json(const Repeats& r) {
    Json differing = Json::array();
    for (const auto& [seed, hash] : r.differing)
        differing.push_back({{"seed", seed}, {"hash", hash}});
    return {{"count", r.runs},
            {"constant", r.constant()},
            {"hash", r.hash},
            {"buffers", r.buffers},
            {"differing_count", r.differing_runs},
            {"differing", differing}};
}

std::string to_text(const Repeats& r) {
    std::string text = fmt::format("  runs           {} orders, ", r.runs);
    if (r.constant()) text += "the output always the same\n";
    else text += fmt::format("the output DIFFERS in {} of them\n", r.differing_runs);
    std::string names;
    for (const std::string& name : r.buffers) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format("                 sha256 {} ({})\n", r.hash,
                        names.empty() ? "nothing was written" : names);
    for (const auto& [seed, hash] : r.differing)
        text += fmt::format("                 seed:{} gives {}\n", seed, hash);
    return text;
}

}  // namespace

Exit SimRecord::status(bool strict) const {
    if (interrupted) return Exit::interrupted;
    for (const Finding& f : result.findings)
        if (f.rule == "ENDLESS") return Exit::untrusted;  // what the rest would say is not known
    if (has_errors(result.findings) || (verdict && !verdict->ok())) return Exit::no;
    if (repeats && !repeats->constant()) return Exit::no;
    if (!result.complete || (strict && !result.unproven.empty())) return Exit::untrusted;
    return Exit::ok;
}

Json to_json(const SimRecord& r) {
    Json failures = Json::array(), executed = Json::object(), findings = Json::array();
    for (const Finding& f : r.result.findings) {
        findings.push_back(to_json(f));
        findings.back()["reproduce"] = reproduce_line(f, r.reproduce);
    }
    for (const auto& [name, count] : r.result.executed) executed[name] = count;
    if (r.verdict)
        for (const std::string& failure : r.verdict->failures) failures.push_back(failure);
    return {{"id", r.id},
            {"shape", r.shape.empty() ? Json(nullptr) : Json(r.shape)},
            {"input", r.input},
            {"model", kSimModel},
            {"accumulate", r.accumulate},
            {"interleave", r.interleave},
            {"interleave_seed", r.interleave_seed},
            {"reproduce", r.reproduce},
            {"accuracy", r.verdict ? accuracy(r.verdict->to_softmax) : Json(nullptr)},
            {"formula", r.verdict ? Json(r.verdict->model) : Json(nullptr)},
            {"formula_accuracy",
             r.verdict && r.verdict->model != "exact" ? accuracy(r.verdict->error) : Json(nullptr)},
            {"quantisation", r.quantisation ? accuracy(*r.quantisation) : Json(nullptr)},
            {"failures", failures},
            {"timing", r.result.timing ? to_json(*r.result.timing, r.hot) : Json(nullptr)},
            {"findings", findings},
            {"suppressed", r.suppressed},
            {"runs", r.repeats ? to_json(*r.repeats) : Json(nullptr)},
            {"stops", r.stops},
            {"unproven", r.result.unproven},
            {"wave_instructions", r.result.wave_instructions},
            {"matrix_instructions", r.result.mfma},
            {"executed", executed},
            {"complete", r.result.complete},
            {"seconds", finite(r.result.seconds)}};
}

std::string to_text(const SimRecord& r, size_t most_findings, const Common& common) {
    std::string text = paint(r.id, Paint::bold, stdout, common);
    if (!r.shape.empty()) text += "  " + r.shape;
    text += fmt::format("\n  input          {}\n", r.input);
    if (r.verdict) {
        text += accuracy_text(r.verdict->to_softmax, "against fp64");
        if (r.verdict->model != "exact") text += accuracy_text(r.verdict->error, "its formula");
    }
    if (r.quantisation)
        text += fmt::format(
            "  quantisation   of the input to e4m3, one scale each: row error {:.3g}, {:.3g} over "
            "all;\n                 not the kernel's, and not in the figures above\n",
            r.quantisation->row_rel_err_mean, r.quantisation->frobenius_rel_err);
    const double rate =
        r.result.seconds > 0 ? double(r.result.wave_instructions) / r.result.seconds : 0;
    text += fmt::format(
        "  executed       {} wave instructions, {} of them matrix; {:.1f} s, {:.2f} M/s\n",
        grouped(r.result.wave_instructions), grouped(r.result.mfma), r.result.seconds, rate / 1e6);
    text += fmt::format("  model          {}{}; matrix sums {}; waves {}\n", kSimModel,
                        r.result.timing ? "" : ", no timing", r.accumulate, order_text(r));
    if (r.result.timing) text += to_text(*r.result.timing, r.hot);
    if (r.repeats) text += to_text(*r.repeats);
    if (r.result.unproven.empty()) text += "  unproven       nothing met\n";
    for (size_t i = 0; i < r.result.unproven.size(); ++i)
        text += fmt::format("  {:<13}  {}\n", i ? "" : "unproven", r.result.unproven[i]);
    text += fmt::format("  findings       {}{}\n", summary(r.result.findings),
                        r.suppressed ? fmt::format("; {} suppressed", grouped(r.suppressed)) : "");
    const size_t shown = std::min(most_findings, r.result.findings.size());
    for (size_t i = 0; i < shown; ++i) {
        const Finding& f = r.result.findings[i];
        text += to_text(f, r.id, common);
        text += fmt::format("    {}\n", reproduce_line(f, r.reproduce));
    }
    if (shown < r.result.findings.size())
        text += fmt::format("    {} more (--max-diagnostics)\n", r.result.findings.size() - shown);
    if (!r.result.complete) text += "  stopped before the end\n";
    if (r.verdict) {
        for (const std::string& failure : r.verdict->failures) text += "  " + failure + "\n";
        text += "  result         ";
        text += r.verdict->ok() ? paint("within its bounds", Paint::green, stdout, common)
                                : paint("OUT OF BOUNDS", Paint::red, stdout, common);
        text += "\n";
    }
    return text;
}

}  // namespace zyfa
