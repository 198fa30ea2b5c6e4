/** The admin routes of events: list and show them, test the targets, and send one again. */
import {
  EVENT_ERROR_CHARS_MAX,
  EVENT_STATES,
  EVENT_TRIES_MAX,
  EVENTS_PAGE_DEFAULT,
  EVENTS_PAGE_MAX,
} from '../../../core/events/event.ts'
import {
  listEvents,
  resendEvent,
  sendTestEvent,
  showEvent,
} from '../../../core/flow/events/manage-events.ts'
import { EVENT_TYPES } from '../../../core/settings/event-target.ts'
import { type Route, readPageQuery, type Schema, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
} from '../schemas/field-schemas.ts'

const EVENT_STATE: Schema = {
  type: 'string',
  enum: EVENT_STATES,
  'x-rule': `must be one of ${EVENT_STATES.join(', ')}`,
}
const EVENT_ID: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Id of an event; the same at each delivery.',
  'x-rule': 'must be an id that GET events lists',
}

const EVENT = toAnsweredObject(
  'Event',
  {
    eventId: TEXT,
    type: { type: 'string', enum: EVENT_TYPES },
    createdAtMs: AT_MS,
    data: { type: 'object', description: 'What the receiver gets as `data`.' },
    state: {
      ...EVENT_STATE,
      description: `\`failed\`: ${EVENT_TRIES_MAX} deliveries failed, in six hours.`,
    },
    attempts: { ...COUNT, description: 'Number of deliveries that were begun.' },
    nextAtMs: {
      ...AT_MS,
      description: 'Of a pending event: the next delivery does not begin before.',
    },
    targets: {
      type: 'array',
      description: 'The targets that were tried.',
      items: toAnsweredObject(
        'EventDelivery',
        {
          target: {
            ...TEXT,
            description: 'The target as `eventTargets` names it; of a webhook its host and a mark.',
          },
          takenAtMs: {
            ...AT_MS,
            description: 'When the target took the event; it does not get it again.',
          },
          error: {
            ...TEXT,
            description: `Why the last delivery failed, in ${EVENT_ERROR_CHARS_MAX} characters at most.`,
          },
        },
        ['error', 'takenAtMs'],
      ),
    },
    endedAtMs: AT_MS,
  },
  ['endedAtMs', 'nextAtMs'],
)

const EVENT_EXAMPLE = {
  eventId: '1q7hsm400-3fQd9ZrT0yKp5WnX',
  type: 'low_balance',
  createdAtMs: 1795219200000,
  data: { uid: 'ada', balance: 4.5, threshold: 5 },
}
const FAILED_EXAMPLE = {
  ...EVENT_EXAMPLE,
  state: 'failed',
  attempts: EVENT_TRIES_MAX,
  targets: [
    { target: 'slack:skillgate/slack', takenAtMs: 1795219260000 },
    {
      target: 'webhook:hook.example:0f3a91c2',
      error: 'the webhook answered 500; it must answer with 2xx',
    },
  ],
  endedAtMs: 1795241000000,
}
const PENDING_EXAMPLE = {
  ...EVENT_EXAMPLE,
  state: 'pending',
  attempts: 0,
  nextAtMs: 1795250000000,
  targets: [],
}

export const EVENT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List events',
    description:
      'Those that failed, newest first, or those in another state; pending ones oldest first. Failed ones are listed for 90 days, delivered ones for seven.',
    access: 'either',
    role: 'viewer',
    query: {
      state: { ...EVENT_STATE, description: 'failed, if absent.' },
      ...toPageQuery({ max: EVENTS_PAGE_MAX, otherwise: EVENTS_PAGE_DEFAULT }),
    },
    answers: {
      200: {
        description: 'A page of events.',
        shown: {
          schema: toAnsweredPage('EventPage', 'events', EVENT),
          example: { events: [FAILED_EXAMPLE] },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, request) =>
      toAnswer(
        200,
        await listEvents(ports, { state: request.query['state'], ...readPageQuery(request) }),
      ),
  },
  {
    method: 'GET',
    path: '/events/{eventId}',
    operationId: 'getEvent',
    tag: 'Events',
    summary: 'Show an event',
    description: 'In whichever state, with what happened at each target.',
    access: 'either',
    role: 'viewer',
    params: { eventId: EVENT_ID },
    answers: {
      200: { description: 'The event.', shown: { schema: EVENT, example: FAILED_EXAMPLE } },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, { params }) =>
      toAnswer(200, await showEvent(ports, params['eventId'] ?? '')),
  },
  {
    method: 'POST',
    path: '/events:test',
    operationId: 'sendTestEvent',
    tag: 'Events',
    summary: 'Send a test event',
    description: 'To every target of this stage, within a minute or so.',
    access: 'either',
    role: 'operator',
    answers: {
      202: {
        description: 'The event, pending.',
        shown: {
          schema: EVENT,
          example: {
            ...PENDING_EXAMPLE,
            type: 'test',
            data: { message: 'A test of the events of this gateway.' },
          },
        },
      },
    },
    refuses: ['conflict'],
    run: async (ports, settings) => toAnswer(202, await sendTestEvent(ports, settings.events)),
  },
  {
    method: 'POST',
    path: '/events/{eventId}/resend',
    operationId: 'resendEvent',
    tag: 'Events',
    summary: 'Send an event again',
    description:
      'One that failed, to the targets that have not taken it; or one that was delivered, to all. Under its id, with all its tries.',
    access: 'either',
    role: 'operator',
    params: { eventId: EVENT_ID },
    answers: {
      202: {
        description: 'The event, pending.',
        shown: { schema: EVENT, example: PENDING_EXAMPLE },
      },
    },
    refuses: ['conflict', 'not_found'],
    run: async (ports, settings, { params }) =>
      toAnswer(202, await resendEvent(ports, settings.events, params['eventId'] ?? '')),
  },
]
