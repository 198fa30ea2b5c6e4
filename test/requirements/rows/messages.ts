/** JSON-RPC messages, ids and batches. */
import {
  ALL,
  type Area,
  MODERN,
  SINCE_2025_06,
  SINCE_2025_11,
  STREAMABLE,
  section,
} from '../requirement.ts'

export const MESSAGES: Area = {
  title: 'Messages',
  about: 'The form of a message, and the refusal of anything else.',
  rows: [
    ...section('basic, Messages', ALL, {
      MUST: {
        'RPC-1': 'Messages follow JSON-RPC 2.0; others are refused with -32600.',
        'RPC-2': 'A body that is not JSON is refused with -32700.',
      },
    }),
    ...section('basic, Requests', ALL, {
      MUST: {
        'RPC-3':
          'A request id is a string or an integer. Null, fractions and other types are refused.',
      },
    }),
    ...section('basic, Responses', ALL, {
      MUST: {
        'RPC-4': 'A response has the id of its request exactly as it came, 0 included.',
        'RPC-5':
          'A response has a result or an error, never both; an error has an integer code and a message.',
      },
    }),
    ...section('basic, Notifications', ALL, {
      MUST: {
        'RPC-6':
          'A notification is never answered with a JSON-RPC response, whether it is known or not.',
      },
    }),
    ...section('basic/transports, Overview', STREAMABLE, {
      MUST: {
        'RPC-7':
          'Messages are UTF-8. A body that declares another encoding is 415, bytes that are not UTF-8 are -32700.',
      },
    }),
    ...section('basic, JSON-RPC Batching', ['2025-03-26'], {
      MUST: {
        'RPC-8':
          'An array of requests and notifications is received, and answered by an array of the responses.',
      },
    }),
    ...section('basic/lifecycle, Initialization', ['2025-03-26'], {
      MUST: {
        'RPC-9': 'An `initialize` inside a batch is refused, and the batch with it.',
      },
    }),
    ...section('basic/transports, Sending messages', SINCE_2025_06, {
      MUST: {
        'RPC-10': 'The body of a POST is one message: an array is refused.',
      },
    }),
    ...section('basic, Error codes', MODERN, {
      MUST: {
        'RPC-11':
          'Of -32020 to -32099 only the codes of the specification are sent, and never -32002 or -32042.',
      },
      SHOULD: {
        'RPC-12': 'Errors of our own have no code of -32000 to -32019.',
      },
    }),
    ...section('basic, _meta', SINCE_2025_11, {
      MUST: {
        'RPC-13': 'Our keys in `_meta` have a prefix of labels and none that is reserved for MCP.',
      },
    }),
  ],
}
