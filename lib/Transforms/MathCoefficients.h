// MathCoefficients.h -- what scripts/math-coefficients computes for the math functions.
//
// Polynomials begin with the lowest power, constants in parts with the largest.
#pragma once

#include <array>
#include <cstdint>

namespace cutwork::transforms::math {

inline constexpr std::array<double, 2> kLn2F32{0x1.62e4300000000p-1, -0x1.05c6100000000p-29};
inline constexpr std::array<double, 2> kLog2EF32{0x1.7154760000000p+0, 0x1.4ae0c00000000p-26};
inline constexpr std::array<double, 2> kLog10EF32{0x1.bcb7b20000000p-2, -0x1.5b235e0000000p-27};
inline constexpr std::array<double, 2> kLog10Of2F32{0x1.3441360000000p-2, -0x1.ec10c00000000p-27};
inline constexpr std::array<double, 3> kHalfPiF32{0x1.921fb60000000p+0, -0x1.777a5c0000000p-25,
                                                  -0x1.ee59da0000000p-50};
inline constexpr std::array<double, 5> kExpF32{0x1.fffffc0000000p-2, 0x1.55548a0000000p-3,
                                               0x1.5559160000000p-5, 0x1.123fc60000000p-7,
                                               0x1.6a1a5c0000000p-10};
inline constexpr std::array<double, 6> kExp2F32{0x1.62e4300000000p-1,  0x1.ebfbdc0000000p-3,
                                                0x1.c6aede0000000p-5,  0x1.3b2d620000000p-7,
                                                0x1.5f43700000000p-10, 0x1.41f5b80000000p-13};
inline constexpr std::array<double, 10> kLogF32{
    -0x1.0000000000000p-1, 0x1.5555460000000p-2, -0x1.0000120000000p-2, 0x1.99a5360000000p-3,
    -0x1.555ac20000000p-3, 0x1.232e2e0000000p-3, -0x1.fc32d40000000p-4, 0x1.e76d580000000p-4,
    -0x1.de47060000000p-4, 0x1.13915a0000000p-4};
inline constexpr std::array<double, 10> kLog2F32{
    -0x1.7154760000000p-1, 0x1.ec70880000000p-2, -0x1.71548e0000000p-2, 0x1.277f240000000p-2,
    -0x1.ec78700000000p-3, 0x1.a415a20000000p-3, -0x1.6e96780000000p-3, 0x1.5f9ab60000000p-3,
    -0x1.5901160000000p-3, 0x1.8d8f6c0000000p-4};
inline constexpr std::array<double, 10> kLog10F32{
    -0x1.bcb7b20000000p-3, 0x1.287a6a0000000p-3, -0x1.bcb7ce0000000p-4, 0x1.63d03c0000000p-4,
    -0x1.287f2c0000000p-4, 0x1.f9d5080000000p-5, -0x1.b96a680000000p-5, 0x1.a75fb20000000p-5,
    -0x1.9f6d2e0000000p-5, 0x1.deb5d20000000p-6};
inline constexpr std::array<double, 7> kPowerLogHighF32{
    0x1.7154760000000p+0, -0x1.7154760000000p-1, 0x1.ec709e0000000p-2, -0x1.7154780000000p-2,
    0x1.2776b60000000p-2, -0x1.ec6f2e0000000p-3, 0x1.a61b800000000p-3};
inline constexpr std::array<double, 7> kPowerLogLowF32{
    0x1.4ad62c0000000p-26, -0x1.46d7e20000000p-27, -0x1.c9ad2a0000000p-30, -0x1.13f31c0000000p-27,
    0x1.7e33ba0000000p-27, 0x1.ac776a0000000p-28,  0x1.dfe6ce0000000p-28};
inline constexpr std::array<double, 7> kPowerLogTailF32{
    -0x1.7188ea0000000p-3, 0x1.481f8e0000000p-3, -0x1.23d5480000000p-3, 0x1.0ace060000000p-3,
    -0x1.13bd6e0000000p-3, 0x1.0f65ce0000000p-3, -0x1.1da07c0000000p-4};
inline constexpr std::array<double, 3> kSinF32{-0x1.5555460000000p-3, 0x1.1107380000000p-7,
                                               -0x1.9940e80000000p-13};
inline constexpr std::array<double, 3> kCosF32{0x1.55554a0000000p-5, -0x1.6c0c640000000p-10,
                                               0x1.99f6240000000p-16};
inline constexpr std::array<double, 5> kTanhF32{-0x1.5555480000000p-2, 0x1.110c8e0000000p-3,
                                                -0x1.b90d380000000p-5, 0x1.584d380000000p-6,
                                                -0x1.9598a40000000p-8};
inline constexpr std::array<double, 7> kErfF32{
    0x1.06eba80000000p-3, -0x1.81273e0000000p-2,  0x1.ce2d200000000p-4, -0x1.b7fbb60000000p-6,
    0x1.5419fa0000000p-8, -0x1.a485f80000000p-11, 0x1.4ae4c60000000p-14};
inline constexpr std::array<double, 8> kErfMiddleF32{
    -0x1.d97fc00000000p+0, -0x1.51c9b00000000p+1, -0x1.afabbc0000000p-1, -0x1.547cee0000000p-5,
    0x1.4933b40000000p-7,  -0x1.07b6300000000p-9, 0x1.2f96b60000000p-12, -0x1.6bd5380000000p-16};
inline constexpr std::array<double, 10> kAtanF32{
    -0x1.5555520000000p-2, 0x1.9997e00000000p-3, -0x1.2473740000000p-3, 0x1.c4f1ea0000000p-4,
    -0x1.68e71e0000000p-4, 0x1.1423080000000p-4, -0x1.6e1a480000000p-5, 0x1.714c200000000p-6,
    -0x1.df98d40000000p-8, 0x1.23fa860000000p-10};
inline constexpr std::array<double, 6> kAsinF32{0x1.55554c0000000p-3, 0x1.3338ae0000000p-4,
                                                0x1.6ca7200000000p-5, 0x1.04d3d60000000p-5,
                                                0x1.d519960000000p-7, 0x1.34c8d40000000p-5};

inline constexpr std::array<double, 2> kLn2F64{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr std::array<double, 2> kLog2EF64{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
inline constexpr std::array<double, 2> kLog10EF64{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
inline constexpr std::array<double, 2> kLog10Of2F64{0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};
inline constexpr std::array<double, 3> kHalfPiF64{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                                  -0x1.f1976b7ed8fbcp-110};
inline constexpr std::array<double, 11> kExpF64{
    0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.55555555554fap-5,  0x1.111111110e961p-7,
    0x1.6c16c16c327dap-10, 0x1.a01a01b4aabb4p-13, 0x1.a01a012fad644p-16, 0x1.71dded289d762p-19,
    0x1.27e5bc863dc7cp-22, 0x1.af7122607b7a8p-26, 0x1.1e389375fc8e0p-29};
inline constexpr std::array<double, 12> kExp2F64{
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0d0p-5,  0x1.3b2ab6fba4e1dp-7,
    0x1.5d87fe78a23a8p-10, 0x1.430912f884ef8p-13, 0x1.ffcbfc75dce17p-17, 0x1.62c021df45f55p-20,
    0x1.b524db0651c41p-24, 0x1.e4d073285b31ap-28, 0x1.ea0507240d364p-32, 0x1.c2cbe2bfbd2edp-36};
inline constexpr std::array<double, 21> kLogF64{
    -0x1.0000000000000p-1, 0x1.5555555555571p-2, -0x1.ffffffffffd4bp-3, 0x1.9999999994049p-3,
    -0x1.55555555733ffp-3, 0x1.24924927b2460p-3, -0x1.fffffff06e064p-4, 0x1.c71c700ba6572p-4,
    -0x1.99999af1178eep-4, 0x1.745d5cd900d13p-4, -0x1.555573a5ec271p-4, 0x1.3b0d3099cd391p-4,
    -0x1.248935138a09ap-4, 0x1.116cf70ff97c0p-4, -0x1.00d2ff0d584a5p-4, 0x1.dc7694aad45bfp-5,
    -0x1.b421038b730d9p-5, 0x1.bbf24aab93913p-5, -0x1.016ed4c8d3679p-4, 0x1.d2e6195e56a6fp-5,
    -0x1.8d0d40b6e924cp-6};
inline constexpr std::array<double, 21> kLog2F64{
    -0x1.71547652b82fep-1, 0x1.ec709dc3a0426p-2, -0x1.71547652b810ap-2, 0x1.2776c50ef5b91p-2,
    -0x1.ec709dc3cb68ep-3, 0x1.a61762ac30110p-3, -0x1.715476477ce9ep-3, 0x1.484b1297dc648p-3,
    -0x1.2776c606c0b13p-3, 0x1.0c9ab6c94dff3p-3, -0x1.ec70c97fca189p-4, 0x1.c685f4ff84938p-4,
    -0x1.a60a49bc59448p-4, 0x1.8a78463fab5b9p-4, -0x1.7284dd922a91ap-4, 0x1.57b20fb5d0bb7p-4,
    -0x1.3a99bd42a74b8p-4, 0x1.403d5b2978b87p-4, -0x1.7365b00f8f6a3p-4, 0x1.50cbdaef1d96bp-4,
    -0x1.1e698d12a4e8bp-5};
inline constexpr std::array<double, 21> kLog10F64{
    -0x1.bcb7b1526e50fp-3, 0x1.287a7636f4377p-3, -0x1.bcb7b1526e2b4p-4, 0x1.63c6277520344p-4,
    -0x1.287a76370e322p-4, 0x1.fc3fa61a7e150p-5, -0x1.bcb7b144e8244p-5, 0x1.8b4df172c0c28p-5,
    -0x1.63c6289f7f84bp-5, 0x1.436e8ed9180d0p-5, -0x1.287a908bb74d7p-5, 0x1.11a67879073bfp-5,
    -0x1.fc2fe0c3e4154p-6, 0x1.dafd2ec8b2aadp-6, -0x1.be263b140c44bp-6, 0x1.9dd9c651fb424p-6,
    -0x1.7ad119eb5318ap-6, 0x1.819b639b36909p-6, -0x1.bf34f196efc4cp-6, 0x1.958b0cf197951p-6,
    -0x1.58dff1de41196p-7};
inline constexpr std::array<double, 10> kPowerLogHighF64{
    0x1.71547652b82fep+0, -0x1.71547652b82fep-1, 0x1.ec709dc3a03fdp-2, -0x1.71547652b82fep-2,
    0x1.2776c50ef9bffp-2, -0x1.ec709dc3a03d9p-3, 0x1.a61762a7ade82p-3, -0x1.71547652b9804p-3,
    0x1.484b13d7c3cbep-3, -0x1.2776c50e8ecf3p-3};
inline constexpr std::array<double, 10> kPowerLogLowF64{
    0x1.777d11fa4387bp-56,  -0x1.7760c21106e26p-57, 0x1.d25b244bd779fp-56,  -0x1.3250de5cedb15p-57,
    -0x1.9af4d1b077f51p-56, 0x1.0ff00377895c3p-57,  -0x1.6f04e4ce40191p-57, -0x1.595d57ff68ec3p-60,
    0x1.88d051ec09ebfp-58,  -0x1.048435412aeb9p-59};
inline constexpr std::array<double, 18> kPowerLogTailF64{
    0x1.0c9a8497e71bcp-3, -0x1.ec709decef79dp-4, 0x1.c68f5729b5274p-4, -0x1.a6175d9eb5c0cp-4,
    0x1.89f39a94f2e16p-4, -0x1.7154d891b4ed7p-4, 0x1.5b9cfbc3ca871p-4, -0x1.4846d7a912d0bp-4,
    0x1.36e019d3ae8d4p-4, -0x1.2783fa5873506p-4, 0x1.1ad748f2fadd6p-4, -0x1.0db7c780f3ebep-4,
    0x1.f05b3c42c95b8p-5, -0x1.ccc772ccefb2bp-5, 0x1.024d63d5d35b7p-4, -0x1.348fc3374e6d5p-4,
    0x1.fd7fd507ada19p-5, -0x1.785555cac30e8p-6};
inline constexpr std::array<double, 7> kSinF64{
    -0x1.5555555555555p-3,  0x1.111111111110bp-7,  -0x1.a01a01a018a15p-13, 0x1.71de3a5328391p-19,
    -0x1.ae6452814c561p-26, 0x1.612083bf98750p-33, -0x1.aa9db61aff907p-41};
inline constexpr std::array<double, 7> kCosF64{
    0x1.5555555555555p-5,  -0x1.6c16c16c16c10p-10, 0x1.a01a01a018d37p-16, -0x1.27e4fb75f13f5p-22,
    0x1.1eed8c95aefd0p-29, -0x1.9393282ab609dp-37, 0x1.aabe53cf58a95p-45};
inline constexpr std::array<double, 12> kTanhF64{
    -0x1.5555555555555p-2,  0x1.111111111107ep-3,  -0x1.ba1ba1ba10c0cp-5,  0x1.664f487f85128p-6,
    -0x1.226e34cdf49b3p-7,  0x1.d6d3b0b6b604cp-9,  -0x1.7da0fef6916b0p-10, 0x1.3538ce4d63d6bp-11,
    -0x1.f346f72ad42a3p-13, 0x1.88cb5cf74cb7dp-14, -0x1.1114079463b41p-15, 0x1.e43420bbf0d9ap-18};
inline constexpr std::array<double, 13> kErfF64{
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b34p-4,  -0x1.b82ce31284f38p-6,
    0x1.565bcd0dbd921p-8,  -0x1.c02db3db49762p-11, 0x1.f9a321e4b84f9p-14, -0x1.f4d1e434bc0cfp-17,
    0x1.b9df305cad6f7p-20, -0x1.5f1f40faeea79p-23, 0x1.f7b99d7c8709ap-27, -0x1.38ac2290d3965p-30,
    0x1.062759c5be8ecp-34};
inline constexpr std::array<double, 15> kErfMiddleF64{
    -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c238p+1,  -0x1.afabc11a294fdp-1,  -0x1.5477f09bfee64p-5,
    0x1.48c9d3e3811c5p-7,   -0x1.033f63d9812d6p-9,  0x1.f1b2a3b42d269p-13,  0x1.b900edba67ebdp-16,
    -0x1.c8141a5e60bb3p-16, 0x1.44463ee26f63ep-17,  -0x1.1fdd12086ebc6p-19, 0x1.f9cd8b55a1c36p-23,
    0x1.c6b77468ffcc8p-26,  -0x1.f2264163e3be5p-27, 0x1.eb4bff545a7a2p-30};
inline constexpr std::array<double, 14> kErfFarF64{
    -0x1.a1c1e72735ef7p+2,  -0x1.3881a8ed5e70dp+2,  -0x1.dea6f633a8ef4p-1,  -0x1.b439c004e72adp-7,
    0x1.6b3ea36cc6269p-9,   -0x1.22e59ddb0c37dp-11, 0x1.ae82a9082e8eap-14,  -0x1.16bd40c0e308fp-16,
    0x1.1563830e90656p-19,  -0x1.98059af86b9bep-24, -0x1.669f1e354e438p-25, 0x1.f5c8f0e98b2bap-27,
    -0x1.40c72f612faeap-29, 0x1.64c3e122ed954p-33};
inline constexpr std::array<double, 21> kAtanF64{
    -0x1.555555555554dp-2, 0x1.9999999998c27p-3, -0x1.2492492456abbp-3,  0x1.c71c71b6290b1p-4,
    -0x1.745d15d02ed26p-4, 0x1.3b139bce645f0p-4, -0x1.11103265fe6a5p-4,  0x1.e1d486ef50af9p-5,
    -0x1.aeda5119de5adp-5, 0x1.84b44c6517803p-5, -0x1.5f2417d216ea3p-5,  0x1.39043a1f2f27ap-5,
    -0x1.0c93e2b6d2a3fp-5, 0x1.ac77ac61938f1p-6, -0x1.30f93ed1ce05bp-6,  0x1.72dac9ee4cbecp-7,
    -0x1.6fcfa11235957p-8, 0x1.1a02d4edcb4a0p-9, -0x1.36d843ef2902bp-11, 0x1.b3aaed858d6eep-14,
    -0x1.2262ad27ebd36p-17};
inline constexpr std::array<double, 13> kAsinF64{
    0x1.555555555557ap-3, 0x1.333333332daaap-4, 0x1.6db6db7262980p-5, 0x1.f1c71a7607664p-6,
    0x1.6e8be25e617c7p-6, 0x1.1c49b01c34ff4p-6, 0x1.ca25b424c1164p-7, 0x1.75522b9daa43dp-7,
    0x1.62620834b60e9p-7, 0x1.d4520b3a20e4dp-9, 0x1.6911c4883701dp-6, -0x1.5fd808388e8ebp-6,
    0x1.0dc58a13a2266p-5};

/// 2 / pi in binary, 64 bits an element.
inline constexpr std::array<std::uint64_t, 20> kTwoOverPi{
    0xa2f9836e4e441529U, 0xfc2757d1f534ddc0U, 0xdb6295993c439041U, 0xfe5163abdebbc561U,
    0xb7246e3a424dd2e0U, 0x6492eea09d1921cU,  0xfe1deb1cb129a73eU, 0xe88235f52ebb4484U,
    0xe99c7026b45f7e41U, 0x3991d639835339f4U, 0x9c845f8bbdf9283bU, 0x1ff897ffde05980fU,
    0xef2f118b5a0a6d1fU, 0x6d367ecf27cb09b7U, 0x4f463f669e5fea2dU, 0x7527bac7ebe5f17bU,
    0x3d0739f78a5292eaU, 0x6bfb5fb11f8d5d08U, 0x56033046fc7b6babU, 0xf0cfbc209af4361dU};

}  // namespace cutwork::transforms::math
