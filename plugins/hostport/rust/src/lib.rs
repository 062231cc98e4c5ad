//! Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of
//! Kubernetes' own conformance test for conversion webhooks.

use crosswalk::{quoted, refuse, Object, Result};

const V1BETA1: &str = "example.com/v1beta1";
const V1: &str = "example.com/v1";

crosswalk::module! {
    name: "hostport",
    version: "1.0.0",
    licence: "Apache-2.0",
    conversions: [
        split: V1BETA1 => V1,
        join: V1 => V1BETA1,
    ],
}

fn split(o: &Object) -> Result {
    if let Some(text) = o.str("hostPort")?.filter(|text| !text.is_empty()) {
        let Some((host, port)) = cut(text) else {
            refuse!(".hostPort must be \"host:port\" or \"[IPv6 address]:port\", but is {}", quoted(text));
        };
        for (key, part) in [("host", host), ("port", port)] {
            if !part.is_empty() {
                o.set(key, part);
            }
        }
    }
    o.remove("hostPort");
    Ok(())
}

/// Takes "host:port" apart. One of the two may be empty: join produces such a string for an object
/// with only one of them.
fn cut(text: &str) -> Option<(&str, &str)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(inner) => inner.split_once("]:").filter(|(host, _)| host.contains(':'))?,
        None => text.split_once(':').filter(|_| text != ":")?,
    };
    (!host.contains(['[', ']']) && !port.contains([':', '[', ']'])).then_some((host, port))
}

fn join(o: &Object) -> Result {
    let host = o.str("host")?.unwrap_or_default();
    let port = o.str("port")?.unwrap_or_default();
    if host.contains(['[', ']']) {
        refuse!(".host must be without brackets, but is {}", quoted(host));
    }
    if port.contains([':', '[', ']']) {
        refuse!(".port must be without colons and brackets, but is {}", quoted(port));
    }
    if host.contains(':') {
        o.set("hostPort", format!("[{host}]:{port}"));
    } else if !host.is_empty() || !port.is_empty() {
        o.set("hostPort", [host, port].join(":"));
    }
    o.remove("host");
    o.remove("port");
    Ok(())
}

#[test]
fn golden_cases() {
    crosswalk::testing::run(&MODULE, "../../../bin/vectors/hostport.json");
}
