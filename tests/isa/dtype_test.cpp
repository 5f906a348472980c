#include "isa/dtype.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace zyfa;

TEST_CASE("every element type reads back what was written, beside its neighbours", "[isa][dtype]") {
    for (unsigned t = 0; t <= unsigned(DType::e8m0); ++t) {
        const auto type = DType(t);
        CAPTURE(info(type).name);
        REQUIRE(find_dtype(info(type).name) == type);
        // 1, 2, 4, 1, 2, 4 ... are values of every type
        constexpr unsigned n = 13;
        std::vector<uint8_t> bytes(dtype_bytes(type, n), 0xff);
        for (unsigned i = n; i-- > 0;) write_element(type, bytes.data(), i, 1 << (i % 3));
        for (unsigned i = 0; i < n; ++i)
            REQUIRE(read_element(type, bytes.data(), i) == 1 << (i % 3));
        double all[4];
        read_elements(type, bytes.data(), 1, 3, 4, all);
        for (double x : all) REQUIRE(x == 2);
    }
    REQUIRE_FALSE(find_dtype("fp8"));
}

TEST_CASE("packed elements stand lowest bits first without gaps", "[isa][dtype]") {
    REQUIRE(dtype_bytes(DType::e2m1, 3) == 2);
    REQUIRE(dtype_bytes(DType::e2m3, 5) == 4);
    REQUIRE(dtype_bytes(DType::e3m2, 32) == 24);
    const uint8_t e2m1[] = {0x42, 0x6d};        // 2, 4, d, 6 are 1, 2, -3, 4
    const uint8_t e2m3[] = {0x08, 0x44, 0x63};  // 08, 10, 34, 18 are 1, 2, -3, 4
    for (unsigned i = 0; i < 4; ++i) {
        const double want[] = {1, 2, -3, 4};
        REQUIRE(read_element(DType::e2m1, e2m1, i) == want[i]);
        REQUIRE(read_element(DType::e2m3, e2m3, i) == want[i]);
    }
}

TEST_CASE("writing rounds to nearest even and ends where the type ends", "[isa][dtype]") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto [type, value, want] = GENERATE_COPY(table<DType, double, double>({
        {DType::bf16, 1 + 0x1p-8, 1},  // a tie, to even
        {DType::bf16, 1 + 3 * 0x1p-8, 1 + 0x1p-6},
        {DType::f16, 1e6, inf},
        {DType::e4m3, 1e6, 448},
        {DType::e4m3, -inf, -448},
        {DType::e2m1, 5, 4},
        {DType::e2m1, -100, -6},
        {DType::i8, 2.5, 2},
        {DType::i8, -300, -128},
        {DType::u8, -1, 0},
        {DType::i32, 3e9, 2147483647.0},
        {DType::e8m0, 3, 4},
        {DType::e8m0, 0, 0x1p-127},
    }));
    CAPTURE(info(type).name, value);
    uint8_t bytes[8] = {};
    write_element(type, bytes, 0, value);
    REQUIRE(read_element(type, bytes, 0) == want);
}
