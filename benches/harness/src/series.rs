//! Turns the runs of all servers into the cells of a row.

use std::io;

use crate::figures::Cell;
use crate::report::figure;
use crate::servers::Server;

/// The results of one server's runs, or the reason why they failed.
pub(super) type Series<T> = Result<Vec<T>, String>;

/// Measures one server if it takes part. Other SDKs may fail, which becomes the reason in the cell.
pub(super) fn cell(
    server: &Server,
    takes_part: bool,
    measure: impl FnOnce() -> io::Result<f64>,
) -> io::Result<Cell> {
    if !takes_part {
        return Ok(Cell::none(server.lacks));
    }
    match measure() {
        Ok(figure) => Ok(Cell::of(figure)),
        Err(error) => failure(server, error).map(Cell::none),
    }
}

/// Returns why a server has no figure, or fails if the comparison needs this server.
fn failure(server: &Server, error: io::Error) -> io::Result<String> {
    if server.is_needed() {
        return Err(io::Error::other(format!("{}: {error}", server.name)));
    }
    let lines = error.to_string().replace('\n', " ");
    Ok(format!("failed ({lines})"))
}

/// Measures one cell per server, with as many servers in parallel as there are cores. Only counts
/// are measured this way, because parallel runs disturb timings.
pub(super) fn at_once(
    servers: &[&'static Server],
    cell: impl Fn(&Server) -> io::Result<Cell> + Sync,
) -> io::Result<Vec<Cell>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut cells = Vec::new();
    for some in servers.chunks(cores) {
        std::thread::scope(|scope| {
            let cell = &cell;
            let runs = some.iter().map(|server| scope.spawn(|| cell(server)));
            let runs: Vec<_> = runs.collect();
            runs.into_iter().try_for_each(|run| {
                let panicked = |_| io::Error::other("a measurement panicked");
                cells.push(run.join().map_err(panicked)??);
                Ok::<_, io::Error>(())
            })
        })?;
    }
    Ok(cells)
}

/// Runs the servers in turns, so background load affects all of them equally.
pub(super) fn alternate<T>(
    servers: &[&'static Server],
    rounds: usize,
    takes_part: impl Fn(&Server) -> bool,
    measure: impl Fn(&Server) -> io::Result<T>,
) -> io::Result<Vec<Series<T>>> {
    let start = |server: &&Server| {
        if takes_part(server) {
            Ok(Vec::new())
        } else {
            Err(server.lacks.to_owned())
        }
    };
    let mut all: Vec<Series<T>> = servers.iter().map(start).collect();
    for _ in 0..rounds {
        for (server, own) in servers.iter().zip(&mut all) {
            let Ok(samples) = own else { continue };
            match measure(server) {
                Ok(sample) => samples.push(sample),
                Err(error) => *own = Err(failure(server, error)?),
            }
        }
    }
    Ok(all)
}

/// Returns the medians, with the median ratio to the first server of the same round.
pub(super) fn ratios<T>(all: &[Series<T>], of: impl Fn(&T) -> f64) -> Vec<Cell> {
    let cell = |own: &[T]| {
        let first = all.first().and_then(|it| it.as_ref().ok());
        let pairs = own.iter().zip(first.into_iter().flatten());
        let middle = median(own.iter().map(&of)).map(figure).unwrap_or_default();
        match median(pairs.map(|(own, first)| of(own) / of(first))) {
            Some(ratio) => Cell::showing(format!("{middle} ({ratio:.2})"), ratio),
            None => Cell::text(middle),
        }
    };
    cells(all, cell)
}

/// Returns cells with text, which are not compared with bars.
pub(super) fn texts<T>(all: &[Series<T>], of: impl Fn(&[T]) -> String) -> Vec<Cell> {
    cells(all, |own| Cell::text(of(own)))
}

fn cells<T>(all: &[Series<T>], cell: impl Fn(&[T]) -> Cell) -> Vec<Cell> {
    let of = |own: &Series<T>| match own {
        Ok(samples) => cell(samples),
        Err(reason) => Cell::none(reason),
    };
    all.iter().map(of).collect()
}

pub(super) fn median(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut figures: Vec<_> = figures.into_iter().collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_ratio_is_to_the_first_server_in_the_same_round() {
        let all = [
            Ok(vec![1.0, 10.0, 100.0]),
            Ok(vec![2.0, 20.0, 900.0]),
            Err("has none".to_owned()),
        ];
        let cells = ratios(&all, |it| *it);
        assert_eq!(cells[1].figure, Some(2.0));
        assert_eq!(cells[1].text, "20.0 (2.00)");
        assert_eq!(cells[2].reason.as_deref(), Some("has none"));
    }
}
