// The WGSL kernels, embedded at build time: zero-terminated bodies, each to be put behind its prelude.
#ifndef RP_KERNELS_KERNELS_H
#define RP_KERNELS_KERNELS_H

extern const char rp_kernel_input[];
extern const char rp_kernel_output[];
extern const char rp_kernel_convolution_direct[];
extern const char rp_kernel_convolution_gemm[];

#endif
