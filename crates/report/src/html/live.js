// Replaces sections as the run goes on, and asks for a snapshot or a stop.
(() => {
  const state = document.getElementById('state');
  const events = new EventSource('/events');
  events.addEventListener('sections', event => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const section = document.getElementById(id);
      if (!section) continue;
      section.innerHTML = html; // names in it are escaped, and the policy runs no script of it
      section.hidden = html === '';
      if (id === 'curves') window.prepareCurves();
    }
  });
  events.addEventListener('state', event => { state.textContent = JSON.parse(event.data); });
  events.addEventListener('end', event => {
    events.close();
    state.textContent = JSON.parse(event.data);
    for (const id of ['snapshot', 'stop']) document.getElementById(id).disabled = true;
  });
  events.onerror = () => { state.textContent = 'connection lost'; };
  for (const id of ['snapshot', 'stop']) {
    document.getElementById(id).onclick = async () => {
      const answer = await fetch('/' + id, {method: 'POST', credentials: 'same-origin'});
      state.textContent = answer.ok ? id + ' requested' : 'refused: ' + answer.status;
    };
  }
})();
