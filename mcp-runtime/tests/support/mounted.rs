//! Services as another program mounts them.

use mcp_runtime::Server;
use mcp_runtime::transport::http::{HttpOptions, HttpService, http_service};

/// A service that is started, and runs until the end of the test.
pub async fn mounted(server: Server, options: HttpOptions) -> HttpService {
    let service = http_service(server, options);
    std::mem::forget(service.start().await.unwrap());
    service
}
