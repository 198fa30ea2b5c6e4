/** HTTP+SSE of 2024-11-05, and Streamable HTTP of all later revisions. */
import {
  type Area,
  LEGACY_SINCE_2025_06,
  MODERN,
  SSE_ONLY,
  STREAMABLE,
  STREAMABLE_LEGACY,
  section,
} from '../requirement.ts'

export const HTTP_SSE: Area = {
  title: 'HTTP with SSE',
  about: 'Two endpoints: a stream to read, and a path to POST to.',
  rows: [
    ...section('basic/transports, HTTP with SSE', SSE_ONLY, {
      MUST: {
        'SSE-1': 'There are two endpoints: GET opens a stream, POST sends messages.',
        'SSE-2':
          'The first event of a stream is endpoint, with a URI of the same origin to POST to.',
        'SSE-3': 'Responses come as message events whose data is the JSON message.',
        'SSE-4': 'Each client has its own stream, and gets no messages of another.',
      },
    }),
  ],
}

export const STREAMABLE_HTTP: Area = {
  title: 'Streamable HTTP',
  about: 'One endpoint, without sessions: each POST stands for itself.',
  rows: [
    ...section('basic/transports, Streamable HTTP', STREAMABLE, {
      MUST: { 'STR-1': 'One path serves the transport.' },
      MAY: {
        'STR-2': 'It is served with and without /v1 and a trailing slash, never by a redirect.',
      },
    }),
    ...section('basic/transports, Sending messages', STREAMABLE, {
      MUST: {
        'STR-3': 'A POST of a notification is 202 without a body.',
        'STR-4': 'A notification that cannot be taken is a 4xx with an error whose id is null.',
        'STR-5':
          'A request is answered by `application/json` or `text/event-stream`, and by exactly that.',
        'STR-6': 'Messages before the response on a stream belong to its request.',
      },
      SHOULD: { 'STR-7': 'A stream that answers a POST has the response last, and then ends.' },
      MAY: {
        'STR-8':
          'Accept is read leniently: a client that accepts one of the two types gets that one; otherwise both count as accepted.',
      },
    }),
    ...section('basic/transports, Sending messages', STREAMABLE_LEGACY, {
      MUST: { 'STR-9': 'A POST of a response is 202 without a body.' },
    }),
    ...section('basic/transports, Listening for messages', STREAMABLE_LEGACY, {
      MUST: { 'STR-10': 'GET is 405 and names POST, since no stream is offered there.' },
    }),
    ...section('basic/transports, Session management', STREAMABLE_LEGACY, {
      MAY: {
        'STR-11':
          'DELETE is 405, and no session id is issued; one that a client brings is ignored, by `initialize` too.',
      },
    }),
    ...section('basic/transports, Protocol version header', LEGACY_SINCE_2025_06, {
      MUST: {
        'STR-12':
          'An `MCP-Protocol-Version` that is not served is 400, but never with `initialize`.',
      },
      SHOULD: { 'STR-13': 'A request without that header is taken as 2025-03-26.' },
    }),
    ...section('basic/transports, Multiple connections', STREAMABLE_LEGACY, {
      MUST: { 'STR-14': 'A message goes to one stream only.' },
    }),
    ...section('basic/transports, Backwards compatibility', STREAMABLE, {
      SHOULD: {
        'STR-15':
          'The two old endpoints stay beside the new one, and a POST to the old stream is 405, so that clients fall back.',
      },
    }),
    ...section('basic/transports/streamable-http, Sending messages', MODERN, {
      MUST: {
        'STR-16': 'The server sends no JSON-RPC request on any stream.',
        'STR-17': 'A method that is not there is 404 and -32601, with the id of the request.',
        'STR-18': 'An error has the id of its request wherever that could be read.',
      },
      SHOULD: {
        'STR-19': 'Streams carry `X-Accel-Buffering: no`.',
      },
    }),
    ...section('basic/transports/streamable-http, Backward compatibility', MODERN, {
      SHOULD: {
        'STR-20': 'GET and DELETE are 405.',
        'STR-21': '`Mcp-Session-Id` and `Last-Event-ID` are ignored, and neither is ever sent.',
      },
    }),
  ],
}
