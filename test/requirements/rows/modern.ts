/** Rules of the stateless revision alone: envelopes, mirrored headers, caching, listening. */
import { type Area, MODERN, section } from '../requirement.ts'

export const ENVELOPE: Area = {
  title: 'Envelope and headers',
  about:
    'A request of 2026-07-28 names its client in its body, and headers repeat parts of it for proxies.',
  rows: [
    ...section('basic, Statelessness', MODERN, {
      MUST: {
        'META-1':
          'Nothing is taken from earlier requests: each says its version and capabilities itself.',
      },
      SHOULD: { 'META-2': 'What `clientInfo` says changes nothing.' },
    }),
    ...section('basic, _meta', MODERN, {
      MUST: {
        'META-3':
          'A request without `protocolVersion` or `clientCapabilities` in `_meta` is 400 and -32602.',
      },
      SHOULD: { 'META-4': 'Every result names the server in `_meta`.' },
      MAY: { 'META-5': 'A request without `clientInfo` is served.' },
    }),
    ...section('basic, ResultType', MODERN, {
      MUST: { 'META-6': 'Every result has a `resultType`.' },
    }),
    ...section('basic/transports/streamable-http, Server validation', MODERN, {
      MUST: {
        'HDR-1':
          '`MCP-Protocol-Version` that is missing or differs from `_meta` is 400 and -32020.',
        'HDR-2': '`Mcp-Method` that is missing or differs from the method is 400 and -32020.',
        'HDR-3':
          '`Mcp-Name` that is missing or differs from `params.name` of `tools/call` is 400 and -32020.',
        'HDR-4':
          'An argument that its tool has mirrored in `Mcp-Param` must equal that header, else 400 and -32020.',
        'HDR-5': 'For an argument that is absent or null no header is expected.',
        'HDR-6':
          'A header with characters that no header has, or broken Base64, is 400 and -32020.',
      },
      SHOULD: { 'HDR-7': 'Numbers are compared as numbers: 42.0 is 42.' },
    }),
    ...section('basic/transports/streamable-http, Case sensitivity', MODERN, {
      MUST: {
        'HDR-8':
          'Names of headers are found in any case, values are compared exactly; white space around them does not count.',
      },
    }),
    ...section('basic/transports/streamable-http, Value encoding', MODERN, {
      MUST: { 'HDR-9': 'A value in Base64 is decoded before it is compared.' },
    }),
    ...section('server/tools, x-mcp-header', MODERN, {
      MUST: {
        'HDR-10':
          'An annotation that clients would drop the tool for is refused when its skill is synced.',
      },
    }),
  ],
}

export const CACHING: Area = {
  title: 'Caching',
  about: 'How long an answer of 2026-07-28 keeps, and for whom.',
  rows: [
    ...section('server/utilities/caching', MODERN, {
      MUST: {
        'CACHE-1': '`server/discover` and `tools/list` carry `ttlMs`, 0 or more, and `cacheScope`.',
        'CACHE-2': 'A list that depends on its caller is private.',
        'CACHE-3': 'All pages of one listing have the same scope.',
      },
      MAY: { 'CACHE-4': '`tools/call` carries neither.' },
    }),
  ],
}

export const LISTEN: Area = {
  title: 'subscriptions/listen',
  about: 'A stream that says when the list of tools may have changed.',
  rows: [
    ...section('basic/patterns/subscriptions', MODERN, {
      MUST: {
        'SUB-1':
          'Its first message acknowledges the requested notifications that will be sent, and no others.',
        'SUB-2': 'Every message of the stream has the id of its request in `_meta`, with its type.',
        'SUB-3': 'What was not asked for is not sent, and no progress or log message ever.',
      },
      SHOULD: { 'SUB-4': 'A stream that the server ends has the result of its request last.' },
      MAY: { 'SUB-5': 'A comment every five seconds keeps a quiet stream alive.' },
    }),
    ...section('server/tools, List changed', MODERN, {
      SHOULD: {
        'SUB-6': 'A change of the list, or of the skills of the caller, is announced within 6 s.',
      },
    }),
  ],
}
