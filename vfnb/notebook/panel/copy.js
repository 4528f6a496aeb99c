// A button that puts a text on the clipboard, and says so.

function render({ model, el }) {
  const button = document.createElement("button");
  button.className = "jupyter-button vfnb-copy";
  const show = () => {
    button.textContent = "Copy";
    button.title = model.get("hint");
    button.disabled = !model.get("text");
  };
  button.onclick = async () => {
    await navigator.clipboard.writeText(model.get("text"));
    button.textContent = "Copied";
    setTimeout(show, 1500);
  };
  model.on("change", show);
  el.appendChild(button);
  show();
}

export default { render };
