"""Caffe's protobuf messages: `caffe.proto.caffe_pb2`."""
