//! Fewer points that show the same: of every bin along x, the lowest and the highest.
//!
//! A mean would hide the spike that somebody looks for; every nth point would show it by chance.

/// Most points of a curve: two for every pixel of a wide screen.
pub const POINTS_MAX: usize = 2000;

/// At most [`POINTS_MAX`] of the points, which are in order of x.
#[must_use]
pub fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    thin_to(points, POINTS_MAX)
}

/// At most `most` of the points, which are in order of x. Points that are not finite are left out.
#[must_use]
pub fn thin_to(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let finite: Vec<_> =
        points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    if finite.len() <= most.max(2) {
        return finite;
    }
    let (first, last) = (finite[0].0, finite[finite.len() - 1].0);
    let bins = (most / 2).max(1);
    let width = (last - first).max(f64::MIN_POSITIVE);
    let mut extremes: Vec<Option<(usize, usize)>> = vec![None; bins];
    for (index, (x, y)) in finite.iter().enumerate() {
        // In 0..bins: the cast saturates, and the last point belongs to the last bin.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
        let bin = (((x - first) / width * bins as f64) as usize).min(bins - 1);
        let (low, high) = extremes[bin].get_or_insert((index, index));
        if *y < finite[*low].1 {
            *low = index;
        }
        if *y > finite[*high].1 {
            *high = index;
        }
    }
    let mut out = Vec::with_capacity(most);
    for (low, high) in extremes.into_iter().flatten() {
        out.push(finite[low.min(high)]);
        if low != high {
            out.push(finite[low.max(high)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{POINTS_MAX, thin, thin_to};

    #[test]
    fn spikes_stay() {
        let mut points: Vec<_> = (0..1_000_000).map(|x| (f64::from(x), 1.0)).collect();
        points[123_456].1 = 9.0;
        points[654_321].1 = -9.0;
        let thinned = thin(&points);
        assert!(thinned.len() <= POINTS_MAX);
        assert!(thinned.contains(&(123_456.0, 9.0)) && thinned.contains(&(654_321.0, -9.0)));
        assert!(thinned.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn few_points_stay_as_they_are_unless_not_finite() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 2.0)];
        assert_eq!(thin(&points), [(0.0, 1.0), (3.0, 2.0)]);
        assert_eq!(thin(&[]), []);
        let same_x = vec![(1.0, 1.0); 10];
        assert!(thin_to(&same_x, 4).len() <= 4);
    }
}
