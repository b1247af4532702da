//! Timestamps without a zone: `YYYY-MM-DDTHH:MM:SS`. Those of this library are in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_OF_DAY: u64 = 86_400;

/// The current time.
pub fn now() -> String {
    // A clock before 1970 counts as 1970: a wrong clock must not prevent a save.
    of_unix_seconds(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

fn of_unix_seconds(seconds: u64) -> String {
    let (mut days, clock) = (seconds / SECONDS_OF_DAY, seconds % SECONDS_OF_DAY);
    let mut year = 1970;
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    let mut month = 1;
    while days >= days_of_month(year, month) {
        days -= days_of_month(year, month);
        month += 1;
    }
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}", days + 1)
}

/// True if the text is a timestamp. Other programs may write a fraction, or a space instead of `T`; both are accepted.
pub fn is_timestamp(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = |(pattern, found): (u8, u8)| if pattern == b'0' { found.is_ascii_digit() } else { pattern == found };
    let shape =
        whole.len() == 19 && b"0000-00-00T00:00:00".iter().copied().zip(whole.replacen(' ', "T", 1).bytes()).all(fits);
    if !shape || fraction.is_some_and(|fraction| !(1..=6).contains(&fraction.len()) || !digits(fraction)) {
        return false;
    }
    let part = |from: usize, to: usize| whole[from..to].parse::<u64>().unwrap_or(u64::MAX);
    let (year, month, day) = (part(0, 4), part(5, 7), part(8, 10));
    let date = year >= 1 && (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    date && part(11, 13) < 24 && part(14, 16) < 60 && part(17, 19) < 60
}

fn is_leap(year: u64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_year(year: u64) -> u64 {
    if is_leap(year) {
        366
    } else {
        365
    }
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_seconds_to_dates() {
        assert_eq!(of_unix_seconds(0), "1970-01-01T00:00:00");
        assert_eq!(of_unix_seconds(951_782_399), "2000-02-28T23:59:59");
        assert_eq!(of_unix_seconds(951_782_400), "2000-02-29T00:00:00");
        assert_eq!(of_unix_seconds(1_735_689_599), "2024-12-31T23:59:59");
    }

    #[test]
    fn accepts_only_dates_that_exist() {
        for good in
            ["2025-03-01T08:30:00", "2025-03-01 08:30:00.5", "2024-02-29T00:00:00", "2025-01-01T00:00:00.123456"]
        {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "",
            "2025-02-29T00:00:00",
            "2025-13-01T00:00:00",
            "2025-03-01",
            "2025-03-01T08:30:00Z",
            "2025-03-01T24:00:00",
            "2025-03-01T08:30:00.",
            "2025-03 01T08:30:00",
            "2025-03-01T08:30:0é",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
