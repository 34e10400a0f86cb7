//! What data sources met since they were last asked, as events.

use layers::{DataSource, SourceNotice};
use net::Net;

use crate::Event;

/// Reports what happened to the data sources of `net` since the last call.
pub(crate) fn report_notices(
    net: &Net,
    sources: &mut [Box<dyn DataSource>],
    events: &mut dyn FnMut(Event),
) {
    for (name, source) in net.source_names().into_iter().zip(sources) {
        let layer = || name.to_owned();
        for notice in source.notices() {
            events(match notice {
                SourceNotice::Restarted => Event::DataRestarted { layer: layer() },
                SourceNotice::RecordSkipped { record, causes } => {
                    Event::RecordSkipped { layer: layer(), record, causes }
                }
            });
        }
    }
}
