//! What stands in the documents of the repository compiles.

#[doc = include_str!("../../README.md")]
struct FrontPage;

#[doc = include_str!("../../docs/deployment.md")]
struct Deployment;
