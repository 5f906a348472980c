#include "dsl/lane_expr.hpp"

namespace zyfa {

LaneExpr::LaneExpr(uint32_t constant)
    : node(std::make_shared<Node>(Node{Kind::constant, constant, {}, {}})) {}
LaneExpr LaneExpr::lane() { return make(Kind::lane, 0, {}, {}); }

LaneExpr LaneExpr::make(Kind kind, uint32_t value, Ptr a, Ptr b) {
    bool folds = a && a->kind == Kind::constant && (!b || b->kind == Kind::constant);
    Node n{kind, value, std::move(a), std::move(b)};
    if (folds) return LaneExpr(eval(n, 0));
    return LaneExpr(std::make_shared<const Node>(std::move(n)));
}

LaneExpr operator&(LaneExpr a, LaneExpr b) {
    return LaneExpr::make(LaneExpr::Kind::op_and, 0, a.node, b.node);
}
LaneExpr operator|(LaneExpr a, LaneExpr b) {
    return LaneExpr::make(LaneExpr::Kind::op_or, 0, a.node, b.node);
}
LaneExpr operator^(LaneExpr a, LaneExpr b) {
    return LaneExpr::make(LaneExpr::Kind::op_xor, 0, a.node, b.node);
}
LaneExpr operator+(LaneExpr a, LaneExpr b) {
    return LaneExpr::make(LaneExpr::Kind::op_add, 0, a.node, b.node);
}
LaneExpr operator<<(LaneExpr a, unsigned bits) {
    return LaneExpr::make(LaneExpr::Kind::shl, bits, a.node, {});
}
LaneExpr operator>>(LaneExpr a, unsigned bits) {
    return LaneExpr::make(LaneExpr::Kind::shr, bits, a.node, {});
}

uint32_t LaneExpr::eval(const Node& n, unsigned lane) {
    uint32_t a = n.a ? eval(*n.a, lane) : 0, b = n.b ? eval(*n.b, lane) : 0;
    switch (n.kind) {
        case Kind::constant: return n.value;
        case Kind::lane: return lane;
        case Kind::op_and: return a & b;
        case Kind::op_or: return a | b;
        case Kind::op_xor: return a ^ b;
        case Kind::op_add: return a + b;
        case Kind::shl: return a << n.value;
        case Kind::shr: return a >> n.value;
    }
    return 0;
}

uint32_t LaneExpr::at(unsigned lane) const { return eval(*node, lane); }
std::array<uint32_t, 64> LaneExpr::table() const {
    std::array<uint32_t, 64> t;
    for (unsigned lane = 0; lane < 64; ++lane) t[lane] = at(lane);
    return t;
}

void LaneExpr::emit(Kernel& k, Vgpr<1> to, Vgpr<1> lane_id) const { emit(k, *node, to, lane_id); }

void LaneExpr::emit(Kernel& k, const Node& n, Vgpr<1> to, Vgpr<1> lane_id) {
    switch (n.kind) {
        case Kind::constant: k.v_mov_b32(to, n.value); return;
        case Kind::lane: k.v_mov_b32(to, lane_id); return;
        case Kind::shl:
        case Kind::shr: {
            Vgpr<1> from = lane_id;
            if (n.a->kind != Kind::lane) emit(k, *n.a, from = to, lane_id);
            if (n.kind == Kind::shl) k.v_lshlrev_b32(to, n.value, from);
            else k.v_lshrrev_b32(to, n.value, from);
            return;
        }
        default: break;
    }
    const Node *constant = n.a->kind == Kind::constant ? n.a.get() : n.b.get(),
               *other = constant == n.a.get() ? n.b.get() : n.a.get();
    Vgpr<1> left = lane_id;
    if (other->kind != Kind::lane) emit(k, *other, left = to, lane_id);
    auto combine = [&](S<1> a, Vgpr<1> b) {
        switch (n.kind) {
            case Kind::op_and: k.v_and_b32(to, a, b); break;
            case Kind::op_or: k.v_or_b32(to, a, b); break;
            case Kind::op_xor: k.v_xor_b32(to, a, b); break;
            default: k.v_add_u32(to, a, b); break;
        }
    };
    if (constant->kind == Kind::constant) {
        combine(constant->value, left);
    } else if (constant->kind == Kind::lane) {
        combine(lane_id, left);
    } else {
        Vgpr<1> right = k.vgpr<1>("lane_expr");
        emit(k, *constant, right, lane_id);
        combine(right, left);
    }
}

}  // namespace zyfa
