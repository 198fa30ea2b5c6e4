/** A call that must ask its client first: by its result (2026-07-28), or by requests before that. */
import { type Area, LEGACY_SINCE_2025_06, MODERN, SINCE_2025_06, section } from '../requirement.ts'

export const INPUT: Area = {
  title: 'Input from the client',
  about: 'The upstream of a skill decides that it must ask; the gateway asks nothing of its own.',
  rows: [
    ...section('basic/patterns/mrtr, Server requirements', MODERN, {
      MUST: {
        'INPUT-1': '`input_required` has questions, a state or both.',
        'INPUT-2':
          'Nothing but `elicitation/create`, `sampling/createMessage` and `roots/list` is asked.',
        'INPUT-3':
          'What the client has not declared is not asked: 400 and -32021 with `requiredCapabilities`.',
        'INPUT-4':
          'State is sealed; one that does not open, or was changed anywhere, is refused with -32602.',
      },
      SHOULD: {
        'INPUT-5': 'State is bound to caller, tool, arguments and a time of 15 minutes.',
      },
      MAY: {
        'INPUT-6':
          'A round that asks costs nothing, and may repeat until the upstream has its answers.',
      },
    }),
    ...section('basic/patterns/mrtr, Supported requests', MODERN, {
      MUST: { 'INPUT-7': '`input_required` is never the answer to anything but `tools/call`.' },
    }),
    ...section('basic/patterns/mrtr, Error handling', MODERN, {
      SHOULD: {
        'INPUT-8': '`inputResponses` that are no answers are refused with -32602.',
      },
    }),
    ...section('client/elicitation, Elicitation requests', MODERN, {
      MUST: { 'INPUT-9': 'A mode that the client has not declared is not asked for.' },
    }),
    ...section('basic/transports, Sending messages', LEGACY_SINCE_2025_06, {
      SHOULD: {
        'ASK-1':
          'A client of that time is asked by a request on the stream of its own call, and only there.',
      },
    }),
    ...section('client/elicitation, Security', LEGACY_SINCE_2025_06, {
      MUST: {
        'ASK-2': 'Its answer counts only with the same key, and for an id that nobody can guess.',
      },
    }),
    ...section('client/elicitation, Error handling', SINCE_2025_06, {
      MUST: {
        'ASK-3':
          'A client that declines, fails or does not answer gets a result that says so, for nothing.',
      },
    }),
  ],
}
