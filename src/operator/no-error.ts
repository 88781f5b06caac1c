import { EngineRefused, EngineUnreachable } from '../engines/engine.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound, isTooManyRequests } from '../kube/errors.ts';

/** The API server says that something is not as it was when it was decided about. */
export const isNews = (error: unknown): boolean =>
  isConflict(error) || isAlreadyExists(error) || isNotFound(error) || isForbidden(error) || isTooManyRequests(error);

/** A lost race, or an engine that says no or nothing, is no error: the next decision sees what came of it. */
export const isNoError = (error: unknown): boolean =>
  isNews(error) || error instanceof EngineRefused || error instanceof EngineUnreachable;
