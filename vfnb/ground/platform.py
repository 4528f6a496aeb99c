"""Where vfnb cannot run."""


def check_platform(platform: str) -> None:
    """Refuse a platform that has no processes.

    Args:
        platform: As `sys.platform` names it.

    Raises:
        ImportError: If it is that of JupyterLite or Pyodide.
    """
    if platform == "emscripten":
        raise ImportError(
            "vfnb trains in worker processes, which a browser has not: in place of JupyterLite use JupyterLab, "
            "Colab or Binder"
        )
