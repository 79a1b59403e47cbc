//! Parser of server-sent events; their bytes may be cut anywhere.

/// An event stream while it is received.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    bytes: Vec<u8>,
    /// Number of bytes that were searched for a line end.
    searched: usize,
    data: Vec<u8>,
}

impl SseParser {
    /// Adds bytes; returns the data of every event that is complete now.
    pub(super) fn receive(&mut self, more: &[u8]) -> Vec<String> {
        self.bytes.extend_from_slice(more);
        let mut complete = Vec::new();
        let mut start = 0;
        while let Some(at) = memchr::memchr(b'\n', &self.bytes[self.searched..]) {
            let end = self.searched + at;
            let line = self.bytes[start..end].to_vec();
            (start, self.searched) = (end + 1, end + 1);
            complete.extend(self.line(&line));
        }
        self.bytes.drain(..start);
        self.searched = self.bytes.len();
        complete
    }

    /// The last event, if the stream ended before it did.
    pub(super) fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.bytes);
        let last = self.line(&line);
        last.or_else(|| self.event())
    }

    /// Number of bytes of the incomplete event.
    pub(super) fn buffered_bytes(&self) -> usize {
        self.bytes.len() + self.data.len()
    }

    fn line(&mut self, line: &[u8]) -> Option<String> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return self.event();
        }
        // Other fields, and comments that keep the connection open, are ignored.
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
        None
    }

    fn event(&mut self) -> Option<String> {
        let data = std::mem::take(&mut self.data);
        (!data.is_empty()).then(|| String::from_utf8_lossy(&data).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": hello\r\ndata: {\"a\":\"déjà\"}\r\n\r\nevent: x\nid: 3\ndata: one\ndata:two\n\n\n\ndata: [DONE]\n\ndata: rest";

    #[test]
    fn events_are_parsed_wherever_their_bytes_are_cut() {
        let expected = ["{\"a\":\"déjà\"}", "one\ntwo", "[DONE]", "rest"];
        for size in 1..=STREAM.len() {
            let mut events = SseParser::default();
            let mut found: Vec<String> =
                STREAM.as_bytes().chunks(size).flat_map(|chunk| events.receive(chunk)).collect();
            found.extend(events.finish());
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn buffered_bytes_are_counted() {
        let mut events = SseParser::default();
        assert!(events.receive(b"data: 12345\ndata: 678").is_empty());
        assert_eq!(events.buffered_bytes(), 5 + 9);
    }
}
