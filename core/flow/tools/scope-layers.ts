/**
 * Makes the tool list of a key with a scope: the layers of its user without the tools that the key
 * may not call. Lists and searches read these layers, so neither names such a tool. If a private
 * skill has the name of a shared tool, the shared tool stays hidden even if the key may not call
 * the private skill, because a call by this name runs the private skill. Bound by ADR 0108.
 */
import { isInScope, type KeyScope } from '../../access/key-scope.ts'
import { keepYoungest } from '../../cache/keep-youngest.ts'
import { indexTools } from '../../search/index-tools.ts'
import type { Settings } from '../../settings.ts'
import { findBuiltInName } from '../../skills/built-in-names.ts'
import type { Tool } from '../../skills/skill.ts'
import { withOwnTools } from '../../skills/tool-list.ts'
import { listIssuingTool } from './built-in-tools.ts'
import { once, type SharedView } from './shared-layer.ts'
import type { ListLayers } from './tool-list-cache.ts'

/** Number of scopes with a cached view of one shared list; a view of 10,000 tools takes 90 kB. */
export const SCOPES_CACHED_MAX = 64

/**
 * Returns the layers with the tools that the scope allows, and all built-in tools of the key. The
 * search does not find the tool that issues keys.
 */
export function scopeLayers(
  settings: Pick<Settings, 'prefix'>,
  { own, shared }: ListLayers,
  scope: KeyScope,
): ListLayers {
  const { prefix } = settings
  const mayCall = (tool: Tool) =>
    findBuiltInName(prefix, tool.name) !== undefined || isInScope(scope, tool)
  const more = scope.mayIssueKeys === true ? listIssuingTool(settings) : []
  const view = cachedView(shared, scope, { mayCall, more })
  if (own === undefined) return { shared: view, own }
  const tools = own.own.tools.filter(mayCall)
  return {
    shared: view,
    own: { own: { ...own.own, tools }, index: once(() => indexTools(tools)) },
  }
}

/** The views of each shared list by scope. A view is dropped together with its list. */
const scopedViews = new WeakMap<SharedView, Map<string, SharedView>>()

type Viewing = {
  readonly mayCall: (tool: Tool) => boolean
  /** Built-in tools that other lists do not have. */
  readonly more: readonly Tool[]
}

function cachedView(shared: SharedView, scope: KeyScope, viewing: Viewing): SharedView {
  const views = scopedViews.get(shared) ?? new Map<string, SharedView>()
  scopedViews.set(shared, views)
  const key = JSON.stringify([
    scope.maxCreditsPerCall,
    scope.tools,
    scope.parentTools,
    scope.mayIssueKeys,
  ])
  const cached = views.get(key)
  if (cached !== undefined) return cached
  const view = makeView(shared, viewing)
  keepYoungest(views, key, view, SCOPES_CACHED_MAX)
  return view
}

function makeView(shared: SharedView, { mayCall, more }: Viewing): SharedView {
  const markUnseen = once(() => {
    const { index, unseen } = shared.search()
    return Uint8Array.from(index.tools, (tool, place) =>
      unseen?.[place] === 1 || !mayCall(tool) ? 1 : 0,
    )
  })
  return {
    tools: withOwnTools(shared.tools.filter(mayCall), {
      tools: more,
      hides: new Set(more.map(({ name }) => name)),
    }),
    search: () => ({ index: shared.search().index, unseen: markUnseen() }),
  }
}
