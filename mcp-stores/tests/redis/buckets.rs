//! Rate limits that several processes share.

use std::time::{Duration, Instant};

use mcp_runtime::layer::{Buckets as _, Rate, Taken};
use tokio::task::JoinSet;

use crate::server::Server;

#[tokio::test]
async fn all_processes_take_from_the_same_buckets() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let [first, second] = [server.connect().await, server.connect().await];
    let rate = Rate::new(20, Duration::from_secs(60 * 60));
    let taking: JoinSet<_> = (0..64)
        .map(|number| {
            let redis = [&first, &second][number % 2];
            redis.buckets().take("ann", rate)
        })
        .collect();
    let taken = taking.join_all().await.into_iter().map(Result::unwrap);
    let (yes, no): (Vec<_>, Vec<_>) = taken.partition(|it| *it == Taken::Yes);
    assert_eq!((yes.len(), no.len()), (20, 44));
    for taken in no {
        let Taken::No(wait) = taken else {
            unreachable!()
        };
        let minutes = wait.as_secs_f64() / 60.0;
        assert!((2.5..=3.0).contains(&minutes), "{minutes}");
    }
    assert_eq!(first.buckets().take("bob", rate).await.unwrap(), Taken::Yes);
}

#[tokio::test]
async fn a_bucket_fills_again_after_the_time_that_it_reports() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let buckets = server.connect().await.buckets();
    let rate = Rate::new(2, Duration::from_millis(600));
    let start = Instant::now();
    let mut taken = 0;
    while taken < 5 {
        match buckets.take("ann", rate).await.unwrap() {
            Taken::Yes => taken += 1,
            Taken::No(wait) => {
                assert!(wait <= Duration::from_millis(300), "{wait:?}");
                tokio::time::sleep(wait).await;
            }
        }
    }
    // Two tokens were there, and three have arrived.
    assert!(
        start.elapsed() >= Duration::from_millis(890),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn an_unreachable_bucket_is_an_error() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let buckets = server.connect().await.buckets();
    server.kill();
    let rate = Rate::new(2, Duration::from_secs(1));
    let error = buckets.take("ann", rate).await.unwrap_err();
    assert!(error.to_string().contains("unavailable"), "{error}");
}
