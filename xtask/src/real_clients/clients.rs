//! The clients, as data: package, configuration for the scripted model, names of their tools.

use serde_json::{Value, json};

/// One way to reach a model: a client, or an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Client {
    /// Name in charrette.
    pub(super) name: &'static str,
    /// Name and version of its npm package; none without a built-in profile.
    pub(super) package: Option<(&'static str, &'static str)>,
    /// Path of its executable in `node_modules`.
    pub(super) program: &'static str,
    /// Its section of the configuration; `{program}` and `{model}` (a URL) are filled in.
    pub(super) settings: &'static str,
    /// Environment of the user; `{model}` is filled in.
    pub(super) environment: &'static [(&'static str, &'static str)],
    /// Name and arguments of the tool that reads a file; `{repo}` is filled in. None for an endpoint.
    pub(super) read: Option<(&'static str, &'static str)>,
    /// Tools that try to write the file `written-N`, N counted from 0.
    pub(super) writes: &'static [(&'static str, &'static str)],
    /// Tools with which a model might try to escape from a read-only seat.
    pub(super) escapes: &'static [(&'static str, &'static str)],
    /// Its shell: the tool, and the name of the argument with the command. None if it has none.
    pub(super) shell: Option<(&'static str, &'static str)>,
    /// Tools that the hook denies in a seat that may write, with a part of its reason. Empty without a hook.
    pub(super) denied_by_hook: &'static [(&'static str, &'static str, &'static str)],
    /// True if it reports a refused tool. A sandbox refuses inside a command, without a report.
    pub(super) reports_refusals: bool,
    /// Recorded usage of calls with (1000 in, 10 out) and (2000 in, 20 out, 500 of it cached).
    pub(super) usage: Option<(u64, u64, u64)>,
    /// Traps that the profile cannot keep it from reading.
    pub(super) reads_traps: &'static [&'static str],
    /// True if its user trusts the repository and permits everything.
    pub(super) has_lenient_user: bool,
}

impl Client {
    /// True for a separate program with tools of its own.
    pub(super) fn has_tools(&self) -> bool {
        self.read.is_some()
    }

    /// True for a built-in profile.
    pub(super) fn is_built_in(&self) -> bool {
        self.package.is_some()
    }
}

/// A tool call for the script.
pub(super) fn tool_call(tool: &str, arguments: &str, repository: &str) -> Value {
    let arguments = arguments.replace("{repo}", repository);
    let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
    json!({"tool": tool, "arguments": arguments})
}

pub(super) fn all() -> Vec<Client> {
    vec![claude(), codex(), gemini(), opencode(), gemini_acp(), endpoint()]
}

fn claude() -> Client {
    Client {
        name: "claude",
        package: Some(("@anthropic-ai/claude-code", "2.1.325")),
        program: "@anthropic-ai/claude-code-linux-{arch}/claude",
        settings: "command = \"{program}\"\n",
        environment: &[
            ("ANTHROPIC_BASE_URL", "{model}"),
            ("ANTHROPIC_API_KEY", "dummy"),
            ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ],
        read: Some(("Read", r#"{"file_path": "{repo}/README.md"}"#)),
        writes: &[
            ("Write", r#"{"file_path": "{repo}/written-0", "content": "x"}"#),
            ("Bash", r#"{"command": "echo x > written-1", "description": "write"}"#),
        ],
        escapes: &[("ExitPlanMode", r#"{"plan": "write"}"#)],
        shell: Some(("Bash", "command")),
        denied_by_hook: &[
            (
                "Bash",
                r#"{"command": "git commit --allow-empty -m x", "description": "commit"}"#,
                "`git commit` is not for this seat",
            ),
            (
                "Bash",
                r#"{"command": "sh -c 'echo x > ../outside'", "description": "write"}"#,
                "is outside the work tree of this seat",
            ),
            (
                "Write",
                r#"{"file_path": "{repo}/../outside", "content": "x"}"#,
                "is outside the work tree of this seat",
            ),
            ("Write", r#"{"file_path": "{repo}/.git/hooks/post-commit", "content": "x"}"#, "is inside .git"),
            ("Bash", r#"{"command": "charrette design x", "description": "nested"}"#, "is for people"),
        ],
        reports_refusals: true,
        usage: Some((3000, 30, 500)),
        reads_traps: &[],
        has_lenient_user: true,
    }
}

fn codex() -> Client {
    Client {
        name: "codex",
        package: Some(("@openai/codex", "0.166.0")),
        program: ".bin/codex",
        settings: "command = \"{program}\"\n",
        environment: &[("OPENAI_API_KEY", "dummy")],
        read: Some(("exec_command", r#"{"cmd": "cat README.md"}"#)),
        writes: &[
            ("exec_command", r#"{"cmd": "echo x > written-0"}"#),
            ("exec_command", r#"{"cmd": "touch written-1"}"#),
        ],
        escapes: &[(
            "exec_command",
            r#"{"cmd": "touch escaped", "sandbox_permissions": "require_escalated", "justification": "please"}"#,
        )],
        shell: Some(("exec_command", "cmd")),
        denied_by_hook: &[],
        reports_refusals: false,
        usage: Some((3000, 30, 500)),
        reads_traps: &[],
        has_lenient_user: true,
    }
}

fn gemini() -> Client {
    Client {
        name: "gemini",
        package: Some(("@google/gemini-cli", "0.61.0")),
        program: ".bin/gemini",
        settings: "command = \"{program}\"\nmodel = \"gemini-2.5-flash\"\n",
        environment: &[("GEMINI_API_KEY", "dummy"), ("GOOGLE_GEMINI_BASE_URL", "{model}")],
        read: Some(("read_file", r#"{"file_path": "README.md"}"#)),
        writes: &[
            ("write_file", r#"{"file_path": "{repo}/written-0", "content": "x"}"#),
            ("run_shell_command", r#"{"command": "echo x > written-1"}"#),
        ],
        escapes: &[("exit_plan_mode", r#"{"plan_filename": "plan.md"}"#)],
        shell: Some(("run_shell_command", "command")),
        denied_by_hook: &[],
        reports_refusals: true,
        usage: Some((3000, 30, 500)),
        reads_traps: &["TRAP-gemini-md", "TRAP-skill"],
        has_lenient_user: true,
    }
}

fn opencode() -> Client {
    Client {
        name: "opencode",
        package: Some(("opencode-ai", "1.18.33")),
        program: "opencode-linux-{arch}/bin/opencode",
        settings: "command = \"{program}\"\nenv = [\"OPENCODE_DISABLE_MODELS_FETCH\"]\n",
        environment: &[("OPENCODE_DISABLE_MODELS_FETCH", "1")],
        read: Some(("read", r#"{"filePath": "{repo}/README.md"}"#)),
        writes: &[
            ("write", r#"{"filePath": "{repo}/written-0", "content": "x"}"#),
            ("bash", r#"{"command": "echo x > written-1", "description": "write"}"#),
        ],
        escapes: &[("task", r#"{"description": "d", "prompt": "write", "subagent_type": "general"}"#)],
        shell: Some(("bash", "command")),
        denied_by_hook: &[],
        reports_refusals: true,
        usage: Some((3000, 30, 500)),
        reads_traps: &[],
        has_lenient_user: true,
    }
}

/// Gemini over the Agent Client Protocol, without a profile. Its user configuration is strict, because the client
/// requests no permission for what the user always allows.
fn gemini_acp() -> Client {
    Client {
        name: "gemini-acp",
        package: None,
        settings: "kind = \"acp\"\ncommand = \"{program}\"\nargs = [\"--acp\", \"-m\", \"gemini-2.5-flash\"]\n\
                   env = [\"GEMINI_API_KEY\", \"GOOGLE_GEMINI_BASE_URL\"]\n",
        denied_by_hook: &[],
        reports_refusals: false,
        usage: Some((3000, 30, 0)),
        has_lenient_user: false,
        ..gemini()
    }
}

/// An OpenAI-compatible endpoint: the scripted model itself.
fn endpoint() -> Client {
    Client {
        name: "local",
        package: None,
        program: "",
        settings: "kind = \"openai\"\nurl = \"{model}/v1\"\nmodel = \"mock-1\"\nkey_env = \"LOCAL_KEY\"\n",
        environment: &[("LOCAL_KEY", "dummy")],
        read: None,
        writes: &[],
        escapes: &[],
        shell: None,
        denied_by_hook: &[],
        reports_refusals: false,
        usage: Some((2000, 20, 500)),
        reads_traps: &[],
        has_lenient_user: true,
    }
}
