//! Serves HTTP with hyper and no framework.

use std::convert::Infallible;
use std::io::Result;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::answer::Answers;

pub(crate) async fn serve(address: SocketAddr, answers: Answers) -> Result<()> {
    let answers = Arc::new(answers);
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        let service = service_fn(move |request| answer(Arc::clone(&answers), request));
        tokio::spawn(async move {
            // A client may disconnect at any time.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    answers: Arc<Answers>,
    request: Request<Incoming>,
) -> std::result::Result<Response<Full<Bytes>>, Infallible> {
    let mut out = Vec::new();
    if let Ok(body) = request.into_body().collect().await {
        answers.answer(&body.to_bytes(), &mut out);
    }
    let mut response = Response::new(Full::new(Bytes::from(out)));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    Ok(response)
}
