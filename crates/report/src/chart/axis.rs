//! Axes: from values to places, and where ticks stand.

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartAxis {
    /// What it shows and in which unit: `time, s`.
    pub title: String,
    /// How values are placed.
    pub scale: AxisScale,
    /// Whether a linear axis begins at zero, as lengths of bars need.
    pub from_zero: bool,
    /// What it covers besides the values that are shown.
    pub covers: Option<[f64; 2]>,
}

/// How values are placed along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal differences are equally far.
    Linear,
    /// Equal ratios are equally far; ticks at powers of two.
    Log2,
    /// The same; ticks at powers of ten. Values that are not above zero are not shown.
    Log10,
}

impl ChartAxis {
    /// A linear axis.
    #[must_use]
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), scale: AxisScale::Linear, from_zero: false, covers: None }
    }

    /// A linear axis that begins at zero.
    #[must_use]
    pub fn from_zero(title: impl Into<String>) -> Self {
        Self { from_zero: true, ..Self::linear(title) }
    }

    /// The same axis for several charts: each covers `range`.
    #[must_use]
    pub fn covering(self, range: [f64; 2]) -> Self {
        Self { covers: Some(range), ..self }
    }

    /// A logarithmic axis with ticks at powers of two.
    #[must_use]
    pub fn log2(title: impl Into<String>) -> Self {
        Self { scale: AxisScale::Log2, ..Self::linear(title) }
    }

    /// A logarithmic axis with ticks at powers of ten.
    #[must_use]
    pub fn log10(title: impl Into<String>) -> Self {
        Self { scale: AxisScale::Log10, ..Self::linear(title) }
    }
}

/// An axis over certain values, between two places.
pub(super) struct PlacedAxis {
    scale: AxisScale,
    /// In the units of the scale: logarithms for a logarithmic one.
    low: f64,
    high: f64,
    /// Between ticks, in the same units.
    step: f64,
    from: f64,
    to: f64,
}

impl PlacedAxis {
    /// Covers `values`. `rounded` ends it at ticks.
    pub(super) fn over(
        axis: &ChartAxis,
        values: impl Iterator<Item = f64>,
        [from, to]: [f64; 2],
        rounded: bool,
    ) -> Self {
        let scale = axis.scale;
        let values = values.chain(axis.covers.into_iter().flatten());
        let values = values.filter_map(|value| scale.unit(value)).filter(|unit| unit.is_finite());
        let zero = axis.from_zero.then_some((0.0, 0.0));
        let range = values.fold(zero, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });
        let (mut low, mut high) = range.unwrap_or((0.0, 1.0));
        if high - low < 1e-9 * high.abs().max(f64::MIN_POSITIVE) {
            let is_log = scale != AxisScale::Linear;
            let margin = if is_log || high == 0.0 { 1.0 } else { 0.05 * high.abs() };
            (low, high) = (if axis.from_zero { low } else { low - margin }, high + margin);
        }
        let step = match scale {
            AxisScale::Linear => nice((high - low) / 5.0),
            _ => ((high - low) / 8.0).ceil().max(1.0),
        };
        if rounded || scale != AxisScale::Linear {
            (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        }
        Self { scale, low, high, step, from, to }
    }

    /// The values at its ends, on a linear axis.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Where a value lies; `None` if the scale does not have it.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        self.scale.unit(value).filter(|unit| unit.is_finite()).map(|unit| self.place(unit))
    }

    fn place(&self, unit: f64) -> f64 {
        self.from + (unit - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Places and labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil();
        let units = (0..64).map(|index| (first + f64::from(index)) * self.step);
        let within = units.take_while(|unit| *unit <= self.high + 1e-9 * self.step);
        within.map(|unit| (self.place(unit), self.scale.label(unit, self.step))).collect()
    }
}

impl AxisScale {
    fn unit(self, value: f64) -> Option<f64> {
        match self {
            Self::Linear => Some(value),
            _ if value <= 0.0 => None,
            Self::Log2 => Some(value.log2()),
            Self::Log10 => Some(value.log10()),
        }
    }

    fn label(self, unit: f64, step: f64) -> String {
        let value = match self {
            Self::Linear => unit,
            Self::Log2 => unit.exp2(),
            Self::Log10 => 10_f64.powf(unit),
        };
        let size = value.abs();
        if size != 0.0 && !(1e-4..1e7).contains(&size) {
            return format!("{:e}", significant(value));
        }
        let decimals = match self {
            Self::Linear => (0..9).find(|d| is_whole(step * 10_f64.powi(*d))).unwrap_or(9),
            _ => (0..9).find(|d| is_whole(value * 10_f64.powi(*d))).unwrap_or(4).min(4),
        };
        format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
    }
}

/// Rounded to four significant digits.
fn significant(value: f64) -> f64 {
    let digits = 10_f64.powf(3.0 - value.abs().log10().floor());
    (value * digits).round() / digits
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1.0)
}

/// The next 1, 2 or 5 times a power of ten.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * 0.999);
    factor.unwrap_or(10.0) * power
}
