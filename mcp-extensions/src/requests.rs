//! The types of requests of an extension.

/// Defines the requests of the extension `$id`: for each, the type, the method, the parameters and
/// the result.
macro_rules! requests {
    ($id:expr; $($(#[$doc:meta])* $name:ident: $method:expr, $params:ty => $result:ty;)*) => {$(
        $(#[$doc])*
        pub(super) enum $name {}

        impl mcp_runtime::types::Request for $name {
            const METHOD: &'static str = $method;
            const PARAMS_OPTIONAL: bool = false;
            const MAY_REQUIRE_INPUT: bool = false;
            const EXTENSION: Option<&'static str> = Some($id);
            type Params = $params;
            type Result = $result;
        }
    )*};
}
