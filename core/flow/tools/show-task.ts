/**
 * The built-in tools `<prefix>_task` and `<prefix>_cancel_task`, for clients that have no tasks of
 * their own: they are listed only for callers who see a skill that runs as a task alone. Free.
 * Bound by docs/service.md, Built-in tools.
 */
import { loadOnce } from '../../cache/load-once.ts'
import type { BuiltInTool } from './built-in-tool.ts'

const importAnswers = loadOnce(() => import('./answer-task.ts'))

const inputSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', description: 'The id that the call answered with: task_…' },
  },
  required: ['task_id'],
  additionalProperties: false,
}

export const TASK: BuiltInTool = {
  title: 'Task',
  description:
    'Shows the state of a task, or the result of its call once that has ended. ' +
    'Free. Use it with the task id that a long-running tool answered, some seconds after that answer and then again until the task has ended.',
  inputSchema,
  callers: 'users',
  answer: async (request, ports) => (await importAnswers()).showTask(request, ports),
}

export const CANCEL_TASK: BuiltInTool = {
  title: 'Cancel task',
  description:
    'Stops a task, so that its call costs nothing. A task that has ended stays as it is. Free.',
  inputSchema,
  callers: 'users',
  changes: true,
  answer: async (request, ports) => (await importAnswers()).stopTask(request, ports),
}
