// LaneExpr: an integer that depends on the lane, written once and used twice: emitted as vector
// instructions, and evaluated on the host for all 64 lanes, so that layouts and LDS bank conflicts
// are checked against the very address that the kernel computes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "dsl/kernel.hpp"

namespace zyfa {

class LaneExpr {
public:
    LaneExpr(uint32_t constant);  // NOLINT: constants mix freely
    LaneExpr(int constant) : LaneExpr(uint32_t(constant)) {}
    static LaneExpr lane();  // 0..63

    friend LaneExpr operator&(LaneExpr a, LaneExpr b);
    friend LaneExpr operator|(LaneExpr a, LaneExpr b);
    friend LaneExpr operator^(LaneExpr a, LaneExpr b);
    friend LaneExpr operator+(LaneExpr a, LaneExpr b);
    friend LaneExpr operator<<(LaneExpr a, unsigned bits);
    friend LaneExpr operator>>(LaneExpr a, unsigned bits);

    uint32_t at(unsigned lane) const;
    std::array<uint32_t, 64> table() const;

    // Emits the computation into `to`; `lane_id` holds the lane number.
    void emit(Kernel& k, Vgpr<1> to, Vgpr<1> lane_id) const;

private:
    enum class Kind : uint8_t { constant, lane, op_and, op_or, op_xor, op_add, shl, shr };
    struct Node {
        Kind kind;
        uint32_t value;
        std::shared_ptr<const Node> a, b;
    };
    using Ptr = std::shared_ptr<const Node>;
    explicit LaneExpr(Ptr node) : node(std::move(node)) {}
    static LaneExpr make(Kind kind, uint32_t value, Ptr a, Ptr b);
    static uint32_t eval(const Node& n, unsigned lane);
    static void emit(Kernel& k, const Node& n, Vgpr<1> to, Vgpr<1> lane_id);
    Ptr node;
};

}  // namespace zyfa
