//! The HTTP service and its page: requests in, answers from the book and the engine out. The
//! page's files are served from the binary.
