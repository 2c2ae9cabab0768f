// The page: a store, the line to the session, the view, and the panels around it.
import { Connection } from "./connection";
import { expose } from "./hooks";
import { buildShell } from "./shell";
import { Store } from "./store";
import { View3D } from "./view/view";
import "./view/view.css";
import { hasWebGL, sayNoWebGL } from "./view/webgl";

const element = document.getElementById("view");
if (element === null) throw new Error("the page has no element #view to draw in");
const store = new Store();
const connection = new Connection(store);
buildShell(element, store, connection);
if (hasWebGL()) expose(store, connection, new View3D(element, store, connection));
else sayNoWebGL(element);
connection.open();
