/** What packages with resources from outside declare, by declaration merging with `faults/Fault`. */

/**
 * The groups of resources from outside, by name. A package that adds a resource to the fake declares its group here, by declaration merging.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * The services of these groups, by the same names: the generators of a resource from outside take the types of requests and errors from them.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}
