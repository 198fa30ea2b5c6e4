/** Rules of the extension io.modelcontextprotocol/tasks, for the stateless revision alone. */
import { type Area, MODERN, section } from '../requirement.ts'

export const TASKS: Area = {
  title: 'Tasks',
  about: 'A call that goes on behind its answer, and whose client asks for the result later.',
  rows: [
    ...section('ext-tasks, Creating a task', MODERN, {
      MUST: {
        'TASK-1': 'A call is answered with a task only if its request declared the extension.',
        'TASK-2':
          'A request of the extension that does not declare it is 400 and -32021, with what to declare.',
        'TASK-3': 'A task can be read as soon as the answer that names it has left.',
      },
    }),
    ...section('ext-tasks, Requests', MODERN, {
      MUST: {
        'TASK-4': 'An id that is unknown, expired or of another key is -32602 at every request.',
        'TASK-5':
          '`tasks/get` answers at once; a tool that failed has completed with its result, and `failed` carries an error.',
        'TASK-6': 'A task that has ended never changes.',
        'TASK-7': 'A closed connection does not cancel a task.',
        'TASK-8': '`Mcp-Name` that is missing is 400 and -32020.',
      },
      SHOULD: {
        'TASK-11':
          'A cancellation is answered with an empty result, also of a task that has ended.',
      },
      MAY: {
        'TASK-12': 'The first poll of a task passes; polls beyond ten a second are refused.',
      },
    }),
    ...section('ext-tasks, Notifications', MODERN, {
      MUST: {
        'TASK-9':
          'A change is sent as the whole task, on a listen stream that asked for that task and on no other.',
        'TASK-10': 'The acknowledgement of a listen stream names the tasks that it follows alone.',
      },
    }),
  ],
}
