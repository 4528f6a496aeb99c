// The picture of virtual nodes: a square each, coloured by worker; those that wait for their pass are pale,
// the one that is being computed has a frame. Drawn on one canvas, so that tens of thousands stay quick.

const GAP_FROM = 6; // pixels: smaller squares stand close

function grid(nodes, width) {
  const columns = Math.max(16, 2 ** Math.floor(Math.log2(2 * Math.sqrt(Math.max(1, nodes)))));
  const side = Math.max(1, Math.min(18, Math.floor(width / columns)));
  return { columns, side, rows: Math.ceil(nodes / columns) };
}

function render({ model, el }) {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.style.display = "block";
  el.appendChild(canvas);

  function paint() {
    const begun = performance.now();
    const bytes = model.get("owners");
    const owners = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const colours = model.get("colours");
    const busy = model.get("busy"); // the node at hand of each owner, -1 for none
    const { columns, side, rows } = grid(owners.length, Math.max(120, el.clientWidth || 720));
    const scale = window.devicePixelRatio || 1;
    canvas.width = columns * side * scale;
    canvas.height = rows * side * scale;
    canvas.style.width = `${columns * side}px`;
    canvas.style.height = `${rows * side}px`;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const size = side >= GAP_FROM ? side - 2 : side;
    for (let node = 0; node < owners.length; node++) {
      const at = busy[owners[node]] ?? -1;
      pen.fillStyle = colours[owners[node] % colours.length];
      pen.globalAlpha = at >= 0 && node > at ? 0.4 : 1;
      pen.fillRect((node % columns) * side, Math.floor(node / columns) * side, size, size);
    }
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeStyle = getComputedStyle(el).color;
    for (const node of busy) {
      if (node >= 0) pen.strokeRect((node % columns) * side, Math.floor(node / columns) * side, size, size);
    }
    canvas.setAttribute("aria-label", model.get("label"));
    canvas.dataset.nodes = owners.length;
    canvas.dataset.owners = [...new Set(owners)].length;
    canvas.dataset.busy = busy.join(" ");
    canvas.dataset.milliseconds = performance.now() - begun;
  }

  let asked = false;
  function soon() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      paint();
    });
  }
  model.on("change", soon);
  const watch = new ResizeObserver(soon);
  watch.observe(el);
  soon();
  return () => {
    watch.disconnect();
    model.off("change", soon);
  };
}

export default { render };
