//! Caffe's random numbers, to the bit: boost's mt19937 and its distributions.
