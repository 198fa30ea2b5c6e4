/** The handshake of the legacy era, and what stands for it in the modern one. */
import {
  ALL,
  type Area,
  LEGACY,
  LEGACY_SINCE_2025_06,
  MODERN,
  STREAMABLE_LEGACY,
  section,
} from '../requirement.ts'

export const LIFECYCLE: Area = {
  title: 'Versions and the handshake',
  about:
    'How a client and this server agree on a revision, and how the era of a request is recognised.',
  rows: [
    ...section('basic/lifecycle, Version negotiation', LEGACY, {
      MUST: {
        'LIFE-1':
          'Where the version that a client asks for is served at that door, it is the answer.',
        'LIFE-2': 'Any other version is answered with one that is served, never with an error.',
      },
    }),
    ...section('basic/lifecycle, Version negotiation', STREAMABLE_LEGACY, {
      SHOULD: {
        'LIFE-3': 'That one is the newest with a handshake, 2025-11-25.',
      },
    }),
    ...section('basic/lifecycle, Initialization', LEGACY, {
      MUST: {
        'LIFE-4': '`initialize` is answered with capabilities, `serverInfo` and instructions.',
      },
      SHOULD: {
        'LIFE-5': 'Outside a call the server sends a client no request but pings.',
      },
    }),
    ...section('basic/lifecycle, Operation', LEGACY_SINCE_2025_06, {
      MUST: {
        'LIFE-6': 'The version decides the shapes: nothing is sent that it does not know.',
      },
    }),
    ...section('basic/lifecycle, Operation', LEGACY, {
      MAY: {
        'LIFE-7':
          'Requests are served before `notifications/initialized` too, since POSTs overtake each other.',
      },
    }),
    ...section('basic/lifecycle, Timeouts', LEGACY, {
      SHOULD: {
        'LIFE-8':
          'A request of ours to a client has a time limit, after which we go on without it.',
      },
    }),
    ...section('basic/lifecycle, Timeouts', STREAMABLE_LEGACY, {
      SHOULD: {
        'LIFE-9':
          'A request of ours that is not answered in time is cancelled by a notification on its stream.',
      },
    }),
    ...section('basic/lifecycle, Capability negotiation', ALL, {
      MUST: {
        'LIFE-10':
          'Methods of capabilities that are not declared are -32601: prompts, resources, completion, tasks.',
      },
    }),
    ...section('basic/utilities/tasks, Capabilities', ['2025-11-25'], {
      MUST: {
        'LIFE-11':
          'A call with `params.task` is worked on as any other, since no tasks are declared.',
      },
    }),
    ...section('server/discover', MODERN, {
      MUST: {
        'DISC-1':
          '`server/discover` answers with the versions that are served and the capabilities.',
      },
    }),
    ...section('basic/versioning, Version negotiation', MODERN, {
      MUST: {
        'DISC-2': 'A version that is not served is 400 and -32022, with supported and requested.',
      },
    }),
    ...section('basic/versioning, Backward compatibility', MODERN, {
      MUST: {
        'DISC-3':
          'Each request tells its era itself. A malformed modern one never falls back to the legacy era.',
        'DISC-4':
          '`initialize` with a modern envelope is an unknown method; with only a modern header it is -32020.',
      },
    }),
  ],
}
