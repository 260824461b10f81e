//! Writes a page with a table and a chart to the standard output.

use cloth_measure::chart::{Axis, Plot, Point, Scale, Series};
use cloth_measure::page::page;
use cloth_measure::table::{Table, numbers, words};
use maud::html;

fn main() {
    let times = [(32.0, 1.5), (64.0, 6.4), (128.0, 27.0)];
    let row = |&(side, ms): &(f64, f64)| {
        vec![words("sheet", format!("side {side}")), numbers("a frame", ms, |ms: f64| format!("{ms} ms"))]
    };
    let table = Table::new("A sheet by its vertices along a side.", times.iter().map(row));
    let points = times.iter().map(|&(side, ms)| Point::new(side, ms)).collect();
    let plot = Plot {
        title: "Time of a frame".into(),
        description: "It grows with the number of vertices.".into(),
        x: Axis::new("vertices along a side", Scale::Log),
        y: Axis::new("ms a frame", Scale::Log),
        series: vec![Series { name: "sheet".into(), marker: 0, points, joined: true }],
    };
    print!("{}", page("An example", &html! { main { (table.html()) (plot.figure(&table)) } }));
}
