//! Request and response frames of docs/spec/abi.md.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::arena::Arena;
use crate::Module;

/// Answers a request frame with a response frame; None if the request is malformed.
pub(crate) fn answer(module: &Module, request: &[u8], arena: &mut Arena, response: &mut Vec<u8>) -> Option<()> {
    response.clear();
    let mut rest = request;
    let count = take_u32(&mut rest)?;
    let desired = core::str::from_utf8(take_bytes(&mut rest)?).ok()?;
    for _ in 0..count {
        let object = take_bytes(&mut rest)?;
        let head = response.len();
        response.extend_from_slice(&[0; 8]);
        arena.reset();
        if let Err(error) = module.convert_one(arena, object, desired, response) {
            response.truncate(head + 8);
            response.extend_from_slice(error.to_string().as_bytes());
            response[head] = 1;
        }
        let len = u32::try_from(response.len() - head - 8).ok()?;
        response[head + 4..head + 8].copy_from_slice(&len.to_le_bytes());
    }
    rest.is_empty().then_some(())
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (head, tail) = rest.split_at_checked(4)?;
    *rest = tail;
    Some(u32::from_le_bytes(head.try_into().ok()?))
}

fn take_bytes<'r>(rest: &mut &'r [u8]) -> Option<&'r [u8]> {
    let len = take_u32(rest)? as usize;
    let (head, tail) = rest.split_at_checked(len)?;
    *rest = tail;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{refuse, Object, Result};

    crate::module! {
        name: "frames",
        version: "1.0.0",
        conversions: [ convert: "g/v1" => "g/v2" ],
    }

    fn convert(o: &Object) -> Result {
        if let Some(why) = o.str("why")? {
            refuse!("because {why}");
        }
        Ok(())
    }

    fn frame(desired: &str, objects: &[&str]) -> Vec<u8> {
        let mut out = (objects.len() as u32).to_le_bytes().to_vec();
        for part in [desired].iter().chain(objects) {
            out.extend_from_slice(&(part.len() as u32).to_le_bytes());
            out.extend_from_slice(part.as_bytes());
        }
        out
    }

    #[test]
    fn answers_each_object() {
        let request = frame("g/v2", &[r#"{"apiVersion":"g/v1"}"#, r#"{"apiVersion":"g/v1","why":"é"}"#, r#"{"apiVersion":"g/v2"}"#]);
        let (mut arena, mut response) = (Arena::new(), Vec::new());
        assert_eq!(answer(&MODULE, &request, &mut arena, &mut response), Some(()));
        let mut rest = &response[..];
        for (status, body) in [(0, r#"{"apiVersion":"g/v2"}"#), (1, "because é"), (0, r#"{"apiVersion":"g/v2"}"#)] {
            assert_eq!(take_u32(&mut rest), Some(status));
            assert_eq!(take_bytes(&mut rest), Some(body.as_bytes()));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn malformed_frames() {
        let request = frame("g/v2", &[r#"{"apiVersion":"g/v1"}"#]);
        let (mut arena, mut response) = (Arena::new(), Vec::new());
        for len in 0..request.len() {
            assert_eq!(answer(&MODULE, &request[..len], &mut arena, &mut response), None, "{len} bytes");
        }
        let mut more = request.clone();
        more.push(0);
        assert_eq!(answer(&MODULE, &more, &mut arena, &mut response), None);
    }
}
