//! Runtime of the Model Context Protocol framework.
