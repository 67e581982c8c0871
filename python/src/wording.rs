//! The library's words for Python: settings become keywords.

use ketbra::setting::{Advice, in_dialect};
use std::fmt::Display;

/// `s=N`, `force=True`, `device='cpu'`, `out`.
pub fn in_python(message: impl Display) -> String {
    in_dialect(
        |setting, f| {
            // What a fixed-point search calls its random starts is not what Python does.
            let name = if setting.name == "starts" { "random_starts" } else { setting.name }.replace('-', "_");
            match &setting.advice {
                Advice::Unsaid => f.write_str(&name),
                Advice::On => write!(f, "{name}=True"),
                Advice::Value(value) => write!(f, "{name}={value}"),
                Advice::Word(word) => write!(f, "{name}='{word}'"),
            }
        },
        message,
    )
}

#[cfg(test)]
mod tests {
    use super::in_python;
    use ketbra::interpret::InterpretError;
    use ketbra::setting::Setting;

    #[test]
    fn settings_become_keywords() {
        let message = in_python(InterpretError::NoTask);
        assert!(message.ends_with("; pass task=T, or blind=True and s=N"), "{message}");
        assert_eq!(in_python(Setting::word("device", "cpu")), "device='cpu'");
        assert_eq!(in_python(Setting::named("max-points")), "max_points");
        assert_eq!(in_python(Setting::of("threads", 1)), "threads=1");
    }
}
