//! What is wrong with a profile.

/// Why a profile cannot be read, or not be used for a net.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Not JSON, or a field that profiles do not have, or of another type.
    #[error("not a profile")]
    Json(#[source] serde_json::Error),

    /// Another version, or another file.
    #[error("`format` is \"{found}\", expected \"{expected}\"")]
    Format {
        /// As written.
        found: String,
        /// What this program reads.
        expected: &'static str,
    },

    /// A field that every profile has.
    #[error("`{field}` is missing")]
    Missing {
        /// Which.
        field: &'static str,
    },

    /// Nothing to compute.
    #[error("`batch` is 0, expected the items of one iteration")]
    Batch,

    /// A time or speed below zero.
    #[error("{field} is {value}, expected 0 or more")]
    Negative {
        /// Which, in backticks, and of which layer.
        field: String,
        /// As written.
        value: f64,
    },

    /// A device that never ends.
    #[error("`images_per_second` is 0, expected the speed of one device")]
    NoSpeed,

    /// No numbers.
    #[error(
        "there are no times: give `layers` with `update_ms` (as `firecaffe time --save-profile` \
         writes them), or `images_per_second`"
    )]
    NoTimes,

    /// Two answers to one question.
    #[error("both `layers` and `images_per_second` are given: leave one of them out")]
    TimesTwice,

    /// A speed includes the update.
    #[error("`update_ms` goes with `layers`: `images_per_second` includes the update")]
    UpdateOfRate,

    /// The times are for another batch.
    #[error(
        "the profile is for a batch of {profile}, the net's is {net}: change the net's batch size, \
         or measure it"
    )]
    OtherBatch {
        /// As the profile says.
        profile: usize,
        /// As the net says.
        net: usize,
    },

    /// The net has a layer that was not measured.
    #[error(
        "the profile has no layer `{layer}`: measure this net with `firecaffe time --save-profile`"
    )]
    NoLayer {
        /// The net's layer.
        layer: String,
    },

    /// A layer was measured that the net does not have.
    #[error("the net has no layer `{layer}`, which the profile has: measure this net")]
    OtherLayer {
        /// The profile's layer.
        layer: String,
    },

    /// A layer of the same name is another one.
    #[error(
        "layer `{layer}` is a {profile} of {profile_params} params in the profile, and a {net} of \
         {net_params} in the net: measure this net"
    )]
    LayerDiffers {
        /// Which.
        layer: String,
        /// Its type in the profile.
        profile: String,
        /// Its params there.
        profile_params: usize,
        /// Its type in the net.
        net: String,
        /// Its params there.
        net_params: usize,
    },

    /// A speed cannot be divided among layers that do nothing.
    #[error(
        "no layer of the net has multiply-adds, by which `images_per_second` would be divided: \
         measure this net with `firecaffe time --save-profile`"
    )]
    NoOperations,
}
