//! The adapter as a program: `adapter 15` or `adapter 16`.

mod adapter;
mod introduction;
mod operations;
mod wire;

use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [line] = arguments.as_slice() else { return Err("usage: adapter 15|16".into()) };
    let mut adapter = adapter::Adapter::of_line(line).ok_or("usage: adapter 15|16")?;
    let mut output = std::io::stdout().lock();
    for request in std::io::stdin().lock().split(b'\n') {
        let (answer, goes_on) = adapter.answer(&request?)?;
        writeln!(output, "{answer}")?;
        output.flush()?;
        if !goes_on {
            break;
        }
    }
    Ok(())
}
