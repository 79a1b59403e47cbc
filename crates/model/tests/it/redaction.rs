//! Redaction: texts that are redacted, and texts that are not.

use charrette_model::redact::{Redactor, is_secret_name};
use proptest::prelude::*;

fn plain() -> Redactor {
    Redactor::new::<String, Vec<u8>>([])
}

/// Assembled at run time, so that no file of this project looks as if it held a key.
fn key(prefix: &str, length: usize) -> String {
    let letters = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z";
    prefix.to_owned() + &letters.chars().cycle().take(length).collect::<String>()
}

#[test]
fn paths_are_no_secrets() {
    for (name, value, secret) in [
        ("OPENAI_API_KEY", "sk-x", true),
        ("PWD", "/work/charrette", false),
        ("SSH_AUTH_SOCK", "/tmp/agent.1", false),
        ("PATH", "bin", false),
    ] {
        assert_eq!(charrette_model::redact::is_secret(name, value.as_bytes()), secret, "{name}");
    }
}

#[test]
fn keys_of_services_are_replaced_by_what_they_are() {
    for (prefix, length, name) in [
        ("sk-ant-api03-", 80, "Anthropic key"),
        ("sk-proj-", 60, "OpenAI key"),
        ("sk-", 48, "API key"),
        ("sk_live_", 24, "Stripe key"),
        ("ghp_", 36, "GitHub token"),
        ("gho_", 36, "GitHub token"),
        ("ghs_", 36, "GitHub token"),
        ("github_pat_11ABCDEFG0_", 59, "GitHub token"),
        ("glpat-", 20, "GitLab token"),
        ("xoxb-1234567890-", 24, "Slack token"),
        ("xoxp-1234567890-", 24, "Slack token"),
        ("AIza", 35, "Google key"),
        ("lin_api_", 40, "Linear key"),
        ("npm_", 36, "npm token"),
        ("hf_", 34, "Hugging Face token"),
        ("hvs.", 24, "Vault token"),
    ] {
        let key = key(prefix, length);
        let marker = format!("[redacted: {name}]");
        for text in [
            "KEY",
            "it is KEY.",
            "(KEY)",
            "x=KEY&y=1",
            "\"KEY\"",
            "{\"text\":\"first\\nKEY\\nlast\"}",
            "\u{1b}[1;31mKEY\u{1b}[0m",
            "a/KEY/b",
            "https://KEY@host.example/x",
        ] {
            let redacted = plain().redact(&text.replace("KEY", &key)).into_owned();
            assert_eq!(redacted, text.replace("KEY", &marker), "{key}");
        }
    }
    let aws = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    assert_eq!(plain().redact(&format!("id {aws}, region eu")), "id [redacted: AWS key id], region eu");
    for (address, length, name) in [
        ("hooks.slack.com/services/T00000000/B00000000/", 24, "Slack webhook"),
        ("discord.com/api/webhooks/123456789012345678/", 68, "Discord webhook"),
        ("discordapp.com/api/webhooks/123456789012345678/", 68, "Discord webhook"),
    ] {
        let text = format!("post to https://{}, please", key(address, length));
        let expected = format!("post to https://[redacted: {name}], please");
        assert_eq!(plain().redact(&text), expected);
    }
    let jwt = format!("{}.{}.{}", key("eyJ", 33), key("eyJ", 60), key("", 43));
    assert_eq!(plain().redact(&format!("cookie={jwt}; path=/")), "cookie=[redacted: JWT]; path=/");
}

#[test]
fn credentials_are_replaced_where_they_are_given() {
    let token = key("", 24);
    for (text, expected) in [
        ("Authorization: Bearer TOKEN", "Authorization: Bearer [redacted: authorization]"),
        ("authorization: bearer TOKEN\r", "authorization: bearer [redacted: authorization]\r"),
        ("-H 'Authorization: Basic dXNlcjpwYXNz' x", "-H 'Authorization: Basic [redacted: authorization]' x"),
        (
            "{\"Authorization\":\"Bearer TOKEN\",\"a\":1}",
            "{\"Authorization\":\"Bearer [redacted: authorization]\",\"a\":1}",
        ),
        ("Proxy-Authorization: TOKEN", "Proxy-Authorization: [redacted: authorization]"),
        ("send Bearer TOKEN.", "send Bearer [redacted: bearer token]."),
        ("password=TOKEN", "password=[redacted: secret]"),
        ("DB_PASSWORD: TOKEN # yaml", "DB_PASSWORD: [redacted: secret] # yaml"),
        ("api_key: \"TOKEN\"", "api_key: \"[redacted: secret]\""),
        ("  \"apiKey\" : \"TOKEN\",", "  \"apiKey\" : \"[redacted: secret]\","),
        ("{\\\"client_secret\\\":\\\"TOKEN\\\"}", "{\\\"client_secret\\\":\\\"[redacted: secret]\\\"}"),
        ("config['auth-token'] = 'TOKEN';", "config['auth-token'] = '[redacted: secret]';"),
        ("secret := `TOKEN`", "secret := `[redacted: secret]`"),
        ("AWS_SECRET_ACCESS_KEY=TOKEN/x+Y==", "AWS_SECRET_ACCESS_KEY=[redacted: secret]"),
        ("https://x/?access_token=TOKEN&n=1", "https://x/?access_token=[redacted: secret]&n=1"),
        ("postgres://ada:pw@db.example/x", "postgres://ada:[redacted: url password]@db.example/x"),
        ("redis://:s3cr3t@cache:6379", "redis://:[redacted: url password]@cache:6379"),
        ("git clone https://TOKEN@github.com/x/y", "git clone https://[redacted: url token]@github.com/x/y"),
        ("AccountKey=TOKENTOKEN==;EndpointSuffix=x", "AccountKey=[redacted: secret];EndpointSuffix=x"),
        ("the api key: TOKEN", "the api key: [redacted: secret]"),
        (
            "//registry.npmjs.org/:_authToken=12345678-1234-1234-1234-123456789012",
            "//registry.npmjs.org/:_authToken=[redacted: secret]",
        ),
        ("bot 123456789:AAaB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCa", "bot 123456789:[redacted: Telegram token]"),
        ("(https://a:b@c@host)", "(https://a:[redacted: url password]@host)"),
    ] {
        assert_eq!(plain().redact(&text.replace("TOKEN", &token)), expected, "{text}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "",
        "The token is parsed in parse_token2_from_header, see src/auth/token.rs:120-140.",
        "commit 3f2a9c1e5b7d8f0a1b2c3d4e5f60718293a4b5c6",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "\"digest\": \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "id: 550e8400-e29b-41d4-a716-446655440000, token: 550e8400-e29b-41d4-a716-446655440000",
        "Authorization: required for all endpoints",
        "Authorization: Bearer authentication is used, Basic authentication is not",
        "Bearer tokens-and-cookies-are-both-accepted",
        "password: use-the-environment-variable-of-2024",
        "password = process.env.DATABASE_PASSWORD_1",
        "api_key: ${OPENAI_API_KEY_2}",
        "api_key: <your-api-key-goes-here-1>",
        "let token: TokenKind::Identifier2 = next_token(&mut lexer3);",
        "secret: https://vault.example.net/v1/secret/data/app1",
        "private_key: id_ed25519_work_laptop.pem",
        "prompt_tokens: 1234567890123456789",
        "cache_key = 9f86d081884c7d659a2feaa0c55ad015",
        "git@github.com:ada/engine.git and ada@example.com:8080",
        "https://host.example:8443/@scope/package",
        "https://${USER}:${PASS}@host.example/",
        "http://localhost:3000/a?b=c@d",
        "support user:password in URLs such as https://user:password@host",
        "https://configuration-service-2@host.example/x and ssh://git@host.example/x",
        "token = get_token()",
        "password = hash(bcrypt12)",
        "the cache key: 9f86d081884c7d659a2feaa0c55ad015",
        "at 1234567890: AAL2, hvs.example-of-a-vault-token",
        "task-list-of-everything-that-is-left-to-do-2026",
        "sk-learn-compatible-estimators-are-documented-here-1",
        "sk-ant-your-key-goes-here-please",
        "npm_config_cache npm_package_dependencies_charrette_version_1",
        "hf_transfer ghp_ AKIA ASIA AIza eyJ eyJh.b.c sk- xoxb-",
        "ASIAPACIFICREGIONALHEADQUARTERS",
        "-----BEGIN CERTIFICATE-----",
        "if line == \"-----BEGIN PRIVATE KEY-----\" { skip() }",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "integrity sha512-oT7kQ2mZx9Lw4Rb1aGVsbG8td29ybGQtMTIzNDU2Nzg5MAzzzzz==",
        "déjà vu: naïve — “quoted” ✅ 密码=这是一个很长的中文句子没有秘密",
    ] {
        assert_eq!(plain().redact(text), text);
        assert!(matches!(plain().redact(text), std::borrow::Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn known_secrets_go_by_their_names_wherever_they_stand() {
    let redactor = Redactor::new([
        ("OPENAI_API_KEY", "correct horse battery"),
        ("SHORT", "seven77"),
        ("QUOTED", "a\"b\\c\nd-longer"),
        ("NESTED", "correct horse battery staple"),
        ("BAD NAME]\n", "ÿ-value-in-latin"),
    ]);
    for (text, expected) in [
        ("xcorrect horse batteryx", "x[redacted: OPENAI_API_KEY]x"),
        ("correct horse battery staples", "[redacted: NESTED]s"),
        ("seven77", "seven77"),
        ("{\"t\":\"a\\\"b\\\\c\\nd-longer\"}", "{\"t\":\"[redacted: QUOTED]\"}"),
        ("ÿ-value-in-latin", "[redacted: BAD_NAME__]"),
        ("password=correct horse battery", "password=[redacted: OPENAI_API_KEY]"),
        ("[redacted: OPENAI_API_KEY] correct horse", "[redacted: OPENAI_API_KEY] correct horse"),
        ("[redacted: correct horse battery]", "[redacted: [redacted: OPENAI_API_KEY]]"),
    ] {
        assert_eq!(redactor.redact(text), expected, "{text}");
    }
    let overlapping = Redactor::new([("A", "redacted"), ("B", "OPENAI_API_KEY")]);
    assert_eq!(overlapping.redact("redacted OPENAI_API_KEY"), "[redacted: A] [redacted: B]");
    assert_eq!(overlapping.redact("[redacted: A] [redacted: B]"), "[redacted: A] [redacted: B]");
}

fn pem(lines: usize) -> String {
    let body: Vec<String> = (0..lines).map(|n| key("", 64 - n)).collect();
    let words = "RSA PRIVATE";
    format!("-----BEGIN {words} KEY-----\n{}\nab12==\n-----END {words} KEY-----", body.join("\n"))
}

#[test]
fn a_private_key_becomes_one_marker() {
    let pem = pem(5);
    let encrypted = pem.replacen('\n', "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\n", 1);
    let numbered: Vec<String> =
        pem.lines().enumerate().map(|(n, line)| format!("{:6}→{line}", n + 1)).collect();
    let diff: Vec<String> = pem.lines().map(|line| format!("+{line}")).collect();
    let cut: Vec<&str> = pem.lines().take(4).collect();
    for (text, expected) in [
        (format!("before\n{pem}\nafter\n"), "before\n[redacted: private key]\n\nafter\n"),
        (format!("{encrypted} and more"), "[redacted: private key]\n and more"),
        (
            format!("{{\"key\":\"{}\\n\",\"n\":1}}", pem.replace('\n', "\\n")),
            "{\"key\":\"[redacted: private key]\\n\",\"n\":1}",
        ),
        (numbered.join("\n"), "     1→[redacted: private key]\n"),
        (diff.join("\n"), "+[redacted: private key]\n"),
        (format!("{}\nThat was the key.\n", cut.join("\n")), "[redacted: private key]\nThat was the key.\n"),
    ] {
        let redacted = plain().redact(&text).into_owned();
        assert_eq!(redacted, expected, "{text}");
        let mut lines = plain();
        let streamed: Vec<u8> = text
            .as_bytes()
            .split_inclusive(|b| *b == b'\n')
            .flat_map(|line| lines.redact_line(line).into_owned())
            .collect();
        assert_eq!(String::from_utf8(streamed).unwrap(), expected, "line by line: {text}");
    }
}

#[test]
fn names_of_variables_tell_what_they_hold() {
    for name in [
        "OPENAI_API_KEY",
        "GH_TOKEN",
        "client_secret",
        "PGPASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "npm_config_authToken",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in
        ["PATH", "HOME", "KEY", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "MAX_TOKENS", "KEYBOARD", "", "é"]
    {
        assert!(!is_secret_name(name), "{name}");
    }
}

/// Pieces that make up secrets, so that random texts come near them.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let secret = "hT7kQ2mZx9Lw4Rb1aGVsbG8td29y";
    let pieces = prop::sample::select(vec![
        "sk-",
        "sk-ant-",
        "ghp_",
        "xoxb-",
        "eyJ",
        "AKIA",
        "npm_",
        ".",
        "-",
        "_",
        "/",
        "=",
        ":",
        "://",
        "@",
        "\"",
        "'",
        "\\n",
        "\\",
        "\n",
        "\r\n",
        " ",
        "password",
        "api_key",
        "token",
        "Authorization",
        "Bearer",
        "Basic",
        "[redacted: ",
        "]",
        "JWT",
        "KNOWN",
        "known value",
        "private key",
        "secret",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END ",
        "PRIVATE KEY-----",
        "aB3",
        "é",
        "\u{1b}[1m",
        "ABCDEFGHIJKLMNOP",
        "0123456789",
        "https",
        "1",
        "\0",
        "{",
        "(",
        "$",
    ]);
    let piece = prop_oneof![
        8 => pieces.prop_map(|piece| piece.as_bytes().to_vec()),
        3 => (0..28_usize).prop_map(move |length| secret.as_bytes()[..length].to_vec()),
        1 => (50..70_usize).prop_map(|length| key("", length).into_bytes()),
        1 => any::<[u8; 2]>().prop_map(|bytes| bytes.to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn known() -> Redactor {
    Redactor::new([
        ("KNOWN", "known value"),
        ("OTHER", "redacted: "),
        ("THIRD", "password=ghp_"),
        ("4", "=\"aB3://@:"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn doing_it_twice_changes_nothing(text in any_text()) {
        let once = known().redact_bytes(&text).into_owned();
        let twice = known().redact_bytes(&once).into_owned();
        prop_assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
    }

    #[test]
    fn a_stream_of_lines_gives_what_the_whole_gives(text in any_text()) {
        let whole = known().redact_bytes(&text).into_owned();
        let mut stream = known();
        let lines: Vec<u8> =
            text.split_inclusive(|b| *b == b'\n').flat_map(|line| stream.redact_line(line).into_owned()).collect();
        prop_assert_eq!(String::from_utf8_lossy(&whole), String::from_utf8_lossy(&lines));
    }

    #[test]
    fn a_known_secret_never_survives(before in any_text(), after in any_text()) {
        let redactor = Redactor::new([("KNOWN", "correct horse battery")]);
        let text = [before, b"correct horse battery".to_vec(), after].concat();
        let redacted = redactor.redact_bytes(&text);
        prop_assert!(!redacted.windows(21).any(|window| window == b"correct horse battery"));
    }

    #[test]
    fn every_known_secret_is_found(
        values in prop::collection::vec("[ab]{8,12}", 1..4),
        text in "[ab]{0,40}",
    ) {
        let redactor = Redactor::new(values.iter().map(|value| ("K", value.as_str())));
        let redacted = redactor.redact(&text).into_owned();
        prop_assert!(values.iter().all(|value| !redacted.contains(value.as_str())), "{}", redacted);
        prop_assert_eq!(redacted != text, values.iter().any(|value| text.contains(value.as_str())));
    }

    #[test]
    fn text_stays_text(text in ".{0,200}") {
        let redacted = known().redact(&text);
        let mended = redacted.contains(char::REPLACEMENT_CHARACTER);
        prop_assert!(!mended || text.contains(char::REPLACEMENT_CHARACTER));
    }
}
