//! A socket that notices whoever does not read. Neither hyper nor tower-http has a time limit for
//! writing: an answer that nobody fetches would keep its connection and its memory for ever. While
//! something waits to be fetched the connection is not idle, and nobody else is given its place.

use super::pace::Pace;
use super::places::Slot;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

pub struct Socket {
    stream: TcpStream,
    slot: Arc<Slot>,
    /// Since the other side did not take what it was sent.
    held_up: Option<HeldUp>,
}

struct HeldUp {
    pace: Pace,
    timer: Pin<Box<Sleep>>,
}

impl Socket {
    pub fn new(stream: TcpStream, slot: Arc<Slot>) -> Socket {
        Socket {
            stream,
            slot,
            held_up: None,
        }
    }

    /// Counts what went out, and ends the connection when that is too little.
    fn after(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match (&written, &mut self.held_up) {
            (Poll::Ready(Ok(bytes)), Some(held_up)) => held_up.pace.add(*bytes),
            (Poll::Pending, held_up) => {
                self.slot.set_sending(true);
                let HeldUp { pace, timer } = held_up.get_or_insert_with(|| {
                    let pace = Pace::begin();
                    let timer = Box::pin(tokio::time::sleep_until(pace.deadline().into()));
                    HeldUp { pace, timer }
                });
                let deadline = pace.deadline().into();
                if timer.deadline() != deadline {
                    timer.as_mut().reset(deadline);
                }
                if timer.as_mut().poll(context).is_ready() {
                    let slow = "the answer is not fetched";
                    return Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, slow)));
                }
            }
            _ => {}
        }
        written
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.after(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Hyper flushes when it has written all it has.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held_up.take().is_some() {
            self.slot.set_sending(false);
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
