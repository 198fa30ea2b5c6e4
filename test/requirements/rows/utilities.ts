/** Ping, cancellation, progress and log messages. */
import {
  ALL,
  type Area,
  LEGACY,
  MODERN,
  SSE_ONLY,
  STREAMABLE,
  STREAMABLE_LEGACY,
  section,
} from '../requirement.ts'

export const UTILITIES: Area = {
  title: 'Ping, cancellation, progress, log messages',
  about: 'What may happen around a request while it runs.',
  rows: [
    ...section('basic/utilities/ping', LEGACY, {
      MUST: { 'PING-1': 'A ping is answered at once with an empty result.' },
    }),
    ...section('basic/utilities/ping', SSE_ONLY, {
      SHOULD: {
        'PING-2':
          'A quiet stream is pinged each minute, and ended after three minutes without any POST.',
      },
    }),
    ...section('basic/utilities/cancellation', LEGACY, {
      MUST: {
        'CANCEL-1':
          'A cancellation that comes too late changes nothing: the answer and its price stand.',
      },
      SHOULD: {
        'CANCEL-2': 'A cancelled call is stopped, is refunded, and gets no response.',
        'CANCEL-3':
          'A cancellation of an unknown request, of another session or of another key is ignored.',
      },
    }),
    ...section('basic/transports, Sending messages', STREAMABLE_LEGACY, {
      SHOULD: { 'CANCEL-4': 'A client that disconnects has not cancelled its request.' },
    }),
    ...section('basic/patterns/cancellation', MODERN, {
      MUST: {
        'CANCEL-5':
          'A client that closes the response has cancelled: the upstream is cut and nothing is charged, as soon as the platform tells.',
      },
      MAY: {
        'CANCEL-6': 'A posted `notifications/cancelled` is 202 and does nothing.',
      },
    }),
    ...section('basic/patterns/progress', ALL, {
      MUST: {
        'PROG-1':
          'Progress is sent only if the request gave a token, 0 included, and with exactly that token.',
        'PROG-2': 'The progress value increases with each notification.',
        'PROG-3': 'No progress comes after the response.',
      },
      SHOULD: {
        'PROG-4': 'Progress comes at most once a second.',
      },
    }),
    ...section('basic/patterns/progress', STREAMABLE, {
      SHOULD: { 'PROG-5': 'The message of progress says in words how long the call has run.' },
    }),
    ...section('server/utilities/logging', MODERN, {
      MUST: {
        'LOG-1': 'No `notifications/message` for a request that names no log level.',
        'LOG-2': 'Log messages come on the stream of their own request, before its response.',
        'LOG-3': 'The logging capability is declared, since log messages are sent.',
        'LOG-4': 'Log messages hold no credential, secret or argument value.',
      },
      SHOULD: {
        'LOG-5': 'A level that does not exist is refused with -32602.',
        'LOG-6': 'Only messages of the level that was named, or above it, are sent.',
      },
    }),
  ],
}
