/** GET tasks: calls that go on behind their answer. */
import { listTasks, TASK_MINUTES_READ } from '../../../core/flow/users/list-tasks.ts'
import { PROFILES_READ_MAX } from '../../../core/ledger/limits.ts'
import { type Route, toAnswer } from '../route.ts'
import {
  AT_MS,
  CREDITS_SHOWN,
  CURSOR,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  UID,
} from '../schemas/field-schemas.ts'

const TASK = toAnsweredObject(
  'Task',
  {
    callId: TEXT,
    uid: TEXT,
    username: TEXT,
    skillId: TEXT,
    source: SOURCE,
    price: { ...CREDITS_SHOWN, description: 'Credits on hold.' },
    startedAtMs: AT_MS,
    untilMs: { ...AT_MS, description: 'When it is over at the latest.' },
  },
  [],
)

export const TASK_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/tasks',
    operationId: 'listTasks',
    tag: 'Calls',
    summary: 'List tasks that run or wait for an answer',
    description: `The soonest deadline first. Each page of all users has tasks of ${PROFILES_READ_MAX} users at most, with deadlines in ${TASK_MINUTES_READ} minutes, so a page may be empty and still have a nextCursor. A task that ends within two minutes of its call may be in the list of its user alone.`,
    access: 'either',
    role: 'viewer',
    query: {
      user: { ...UID, description: 'The tasks of this user, all at once.' },
      cursor: CURSOR,
    },
    answers: {
      200: {
        description: 'A page of tasks.',
        shown: {
          schema: toAnsweredPage('TaskPage', 'tasks', TASK),
          example: {
            tasks: [
              {
                callId: '1q6a0k000-c1',
                uid: 'ada',
                username: 'Ada',
                skillId: 'sg_portrait',
                source: 'official',
                price: 2.5,
                startedAtMs: 1795219200000,
                untilMs: 1795220040000,
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, { query }) =>
      toAnswer(200, await listTasks(ports, { user: query['user'], cursor: query['cursor'] })),
  },
]
