//! Services that are mounted, as in another program.

use mcp_runtime::Server;
use mcp_runtime::transport::http::{HttpOptions, HttpService, http_service};

/// Starts a service that runs until the end of the test.
pub async fn mounted(server: Server, options: HttpOptions) -> HttpService {
    let service = http_service(server, options);
    std::mem::forget(service.start().await.unwrap());
    service
}
