//! What an asynchronous call of a port returns.

use std::pin::Pin;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
