/**
 * One event stream a table for all pages of this browser: a browser opens about six connections to a host, and six
 * pages with a stream each would leave none for a throw.
 */

import { Stream } from "./stream.js";

const followed = new Map(); // table -> {stream, ports}

function follow(port, table) {
  let entry = followed.get(table);
  if (!entry) {
    entry = { ports: new Set() };
    entry.stream = new Stream(table, (news) => entry.ports.forEach((each) => each.postMessage(news)));
    followed.set(table, entry);
  }
  entry.ports.add(port);
  port.postMessage(entry.stream.news);
}

function leave(port) {
  for (const [table, { stream, ports }] of followed) {
    if (ports.delete(port) && ports.size === 0) {
      stream.stop();
      followed.delete(table);
    }
  }
}

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.follow) follow(port, data.follow);
    else leave(port);
  };
};
