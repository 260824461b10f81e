/* cloth: an exact judge of meshes and motions, a gate that makes motions free of crossings, and a cloth
 * simulation.
 *
 * Made by cbindgen of the Rust sources: do not edit.
 *
 * RESULTS. Calls return a `cloth_status`. `error` is null or points to a `cloth_error`, which gets the status
 * and a sentence. There is no other place for errors: no global state, no `errno`, no exceptions, no
 * callbacks.
 *
 * POINTERS. A pointer that a comment does not allow to be null must not be; the others point to as many items
 * as their count says, and are aligned. The library sees null, wrong alignment, impossible counts, and
 * handles of another kind; it cannot see wild pointers, counts that are too large, and handles that have been
 * destroyed. Numbers may have any value: NaN and indices out of range are errors. Input is read before output
 * is written, so arrays may overlap. No input is used after the call that it is passed to.
 *
 * OWNERSHIP. What `cloth_X_create` gives is freed by `cloth_X_destroy`. All other memory is the caller's,
 * except that of `cloth_simulation_get_positions`.
 *
 * THREADS. A `cloth_mesh` and a `cloth_threads` may be used by any number of threads at once. A
 * `cloth_certifier`, a `cloth_outfit` and a `cloth_simulation` are used by one thread at a time, which may be
 * another one each time; a call that finds one in use returns `CLOTH_ERROR_BUSY`. Work is done on the calling
 * thread, and on the threads of a pool that is passed or of a simulation that asked for some. No call starts
 * other threads. Results have equal bits for any number of threads. A handle may not be destroyed while a call
 * uses it.
 *
 * UNITS. Metres, kilograms, seconds. Arrays of positions and velocities have 3 numbers a vertex: x, y, z.
 */


#ifndef CLOTH_H
#define CLOTH_H

#include <stddef.h>
#include <stdint.h>

// In the place of an id that there is none of.
#define CLOTH_NONE UINT32_MAX

// Bytes of the text of an error, with the 0 at its end.
#define CLOTH_ERROR_TEXT_SIZE 512

// The most threads of a pool or of a simulation.
#define CLOTH_MAX_THREADS 1024

// How a call ended.
typedef enum {
  // As it should.
  CLOTH_OK = 0,
  // A pointer is null that has to point to something.
  CLOTH_ERROR_NULL = 1,
  // A handle is not one of this library, or of another kind than the call needs.
  CLOTH_ERROR_HANDLE = 2,
  // A number, an index, a count or a name is refused; the text says which and why.
  CLOTH_ERROR_ARGUMENT = 3,
  // A state has intersections where none are admitted.
  CLOTH_ERROR_TANGLED = 4,
  // A step of a simulation failed and was undone.
  CLOTH_ERROR_STEP = 5,
  // Bytes are not a snapshot, are damaged, or are of another simulation or version.
  CLOTH_ERROR_SNAPSHOT = 6,
  // A buffer is too small for what may only be written as a whole. Nothing was written to it.
  CLOTH_ERROR_CAPACITY = 7,
  // Another thread is using the handle.
  CLOTH_ERROR_BUSY = 8,
  // A defect of this library. A handle that the call could change is of no use any more: destroy it.
  CLOTH_ERROR_INTERNAL = 9,
} cloth_status;

// What a pair consists of.
typedef enum {
  // A vertex and a face: `ids` are theirs, the first of `vertices` is the vertex.
  CLOTH_PAIR_VERTEX_FACE = 0,
  // Two edges: `ids` are theirs, `vertices` has the two of each.
  CLOTH_PAIR_EDGE_EDGE = 1,
} cloth_pair_kind;

// What is wrong at a place of a state.
typedef enum {
  // An edge goes through a face from one side to the other: `edge`, `ends`, `faces[0]`.
  CLOTH_STATE_CROSSES = 0,
  // An edge and a face touch in one point, or the face has no area: `edge`, `ends`, `faces[0]`.
  CLOTH_STATE_TOUCHES = 1,
  // An edge lies in the plane of a face and meets it: `edge`, `ends`, `faces[0]`.
  CLOTH_STATE_COPLANAR = 2,
  // A point without faces and edges lies on a face: `ends[0]`, `faces[0]`.
  CLOTH_STATE_POINT_ON_FACE = 3,
  // Two faces on one edge lie flat on each other, their third corners in different places: `edge`, `ends`,
  // `faces`.
  CLOTH_STATE_FLAT_FOLD = 4,
  // A face, `faces[1]`, lies on another, `faces[0]`: both have the same three points.
  CLOTH_STATE_DOUBLED_FACE = 5,
} cloth_state_kind;

// Why a step is not the whole motion.
typedef enum {
  // Nothing: the step is 1.
  CLOTH_LIMIT_NONE = 0,
  // A pair collides, or comes within the distance.
  CLOTH_LIMIT_COLLISION = 1,
  // The start has intersections: the step is 0.
  CLOTH_LIMIT_TANGLED = 2,
  // A pair is within the distance at the start: the step is 0.
  CLOTH_LIMIT_TOO_NEAR = 3,
} cloth_limit;

// What two primitives that meet belong to.
typedef enum {
  // One garment.
  CLOTH_BETWEEN_CLOTH_SELF = 0,
  // Two garments.
  CLOTH_BETWEEN_CLOTH_CLOTH = 1,
  // A garment and a body.
  CLOTH_BETWEEN_CLOTH_BODY = 2,
  // One body.
  CLOTH_BETWEEN_BODY_SELF = 3,
  // Two bodies.
  CLOTH_BETWEEN_BODY_BODY = 4,
} cloth_between;

// Which collisions of a motion are wanted.
typedef enum {
  // All of them, by time.
  CLOTH_SEARCH_ALL = 0,
  // The first that is found: whether there is one, as fast as possible.
  CLOTH_SEARCH_FIRST = 1,
  // The one that happens first.
  CLOTH_SEARCH_EARLIEST = 2,
} cloth_search;

// The shape of a collider.
typedef enum {
  // The half-space below y = 0.
  CLOTH_SHAPE_PLANE = 0,
  // A ball of `radius`.
  CLOTH_SHAPE_SPHERE = 1,
  // All points within `radius` of the segment from (0, -half_length, 0) to (0, half_length, 0).
  CLOTH_SHAPE_CAPSULE = 2,
  // A box of `half_extents`.
  CLOTH_SHAPE_BOX = 3,
} cloth_shape;

// Cost and quality of a simulation.
typedef enum {
  // Certified cloth at 60 Hz.
  CLOTH_PRESET_DEFAULT = 0,
  // Half the substeps, certified as well.
  CLOTH_PRESET_GAME = 1,
  // Twice the substeps, for final frames.
  CLOTH_PRESET_FILM = 2,
} cloth_preset;

// Whether a cloth is teleported where what it is fixed to is cut: where in one step its pins, or what is
// under a cloth without pins, go farther and faster, or turn by more, than `cloth_teleport_limits` says. The
// mesh bodies and colliders that move alike go along. Otherwise that motion is swept as any other.
typedef enum {
  // As the preset says: `CLOTH_PRESET_GAME` teleports, the others do not.
  CLOTH_TELEPORT_PRESET = 0,
  // It is.
  CLOTH_TELEPORT_ON = 1,
  // It is not.
  CLOTH_TELEPORT_OFF = 2,
} cloth_teleport;

// Makes motions free of crossings, one after another. One thread at a time may use it; a second one gets
// `CLOTH_ERROR_BUSY`.
typedef struct cloth_certifier cloth_certifier;

// A mesh that is judged. It never changes, so any number of threads may use it at once.
typedef struct cloth_mesh cloth_mesh;

// Garments and the bodies that wear them, judged together, with what was found in the last state. One thread
// at a time may use it; a second one gets `CLOTH_ERROR_BUSY`.
typedef struct cloth_outfit cloth_outfit;

// Cloths, mesh bodies and colliders. One thread at a time may use it; a second one gets `CLOTH_ERROR_BUSY`.
typedef struct cloth_simulation cloth_simulation;

// A pool of worker threads. Any number of threads may work in it at once.
typedef struct cloth_threads cloth_threads;

// How a certifier is started. All zero is the default.
typedef struct {
  // A distance (m) that is proved to be kept by what starts farther apart than 1.01 of it; 0: not to
  // touch.
  double thickness;
  // The distance (m), beyond the thickness, that corrected motions leave; an aim, not proved. 0: what fits
  // the mesh.
  double clearance;
  // Not 0: accept a start that intersects; what is tangled is exempt until it comes apart.
  uint8_t admits_tangles;
} cloth_certifier_desc;

// What went wrong, in memory of the caller. Every call writes it: after `CLOTH_OK` the text is empty.
typedef struct {
  // What the call returned.
  cloth_status status;
  // A sentence in UTF-8 that ends with 0: what is wrong, where, and how to fix it. What does not fit is
  // cut.
  char text[CLOTH_ERROR_TEXT_SIZE];
} cloth_error;

// What is certified of an accepted motion.
typedef struct {
  // 1 if no pair was exempt, released or touching: nothing at all touched anything in this motion.
  uint8_t is_unconditional;
  // Number of vertices whose end is not the proposed one.
  size_t changed;
  // Number of pairs that could not be kept apart: of a kinematic part that moved into cloth that cannot
  // give way, and those at distance zero that do not move.
  size_t released;
  // Number of tangles that are left after the motion.
  size_t exempt;
  // Number of tangles that came apart in the motion.
  size_t resolved;
  // Number of pairs that did not have to keep the thickness; they do not touch unless they are released.
  size_t near;
} cloth_certificate;

// A pair that was released.
typedef struct {
  // What it consists of.
  cloth_pair_kind kind;
  // The vertices of both: a vertex and the 3 of a face, or 2 and 2 of edges.
  uint32_t vertices[4];
} cloth_released_pair;

// One reason why a state is not clean. Ids that its kind does not name are `CLOTH_NONE`.
typedef struct {
  // What is wrong.
  cloth_state_kind kind;
  // An edge, by the order of `cloth_mesh_get_edges`.
  uint32_t edge;
  // The vertices of the edge, or the point.
  uint32_t ends[2];
  // Faces, by the order of the description.
  uint32_t faces[2];
  // Where (m), up to rounding.
  double position[3];
} cloth_state_witness;

// A pair of primitives, and when and where it collides.
typedef struct {
  // What the pair consists of.
  cloth_pair_kind kind;
  // Its two ids.
  uint32_t ids[2];
  // The vertices of both.
  uint32_t vertices[4];
  // It first touches in `[time, time + gap]`, shares of the motion in [0, 1].
  double time;
  // Width of that interval.
  double gap;
  // Where (m), up to rounding.
  double position[3];
} cloth_motion_witness;

// How far along a motion one may go.
typedef struct {
  // Share of the motion, in [0, 1].
  double step;
  // What limits it.
  cloth_limit limit;
  // Number of intersections of the start, for `CLOTH_LIMIT_TANGLED`.
  size_t intersections;
  // The pair that limits it, for `CLOTH_LIMIT_COLLISION` and `CLOTH_LIMIT_TOO_NEAR`; else zero. For the
  // latter `time`, `gap` and `position` are zero.
  cloth_motion_witness witness;
} cloth_max_step;

// The groups that a part is in, and those that it collides with, one bit each. Two parts collide if each is
// in a group that the other collides with.
typedef struct {
  // The groups it is in.
  uint32_t is_in;
  // The groups it collides with.
  uint32_t meets;
} cloth_mask;

// The description of a mesh. Set it to zero, then set what there is; arrays of count 0 may be null. It is
// copied: the arrays are not needed after the call.
typedef struct {
  // Number of vertices.
  size_t vertex_count;
  // 3 vertices a face, in any orientation; the mesh need not be manifold.
  const uint32_t *faces;
  // Number of faces.
  size_t face_count;
  // 2 vertices for each edge without a face: wires, hair. Vertices without faces and edges are points,
  // which collide with faces.
  const uint32_t *edges;
  // Number of edges without faces.
  size_t edge_count;
  // The part of each vertex, from 0; null: everything is part 0. Faces and edges are of one part.
  const uint16_t *parts;
  // Number of entries of `kinematic` and of `masks`: as many as there are parts.
  size_t part_count;
  // For each part: not 0 if its motion is never corrected; two such parts do not collide. Null: none.
  const uint8_t *kinematic;
  // The mask of each part. Null: all parts collide.
  const cloth_mask *masks;
  // 2 vertices for each pair whose primitives do not collide, as if the two were one: seams.
  const uint32_t *exclusions;
  // Number of pairs.
  size_t exclusion_count;
} cloth_mesh_desc;

// How much there is of a mesh.
typedef struct {
  // Number of vertices.
  size_t vertices;
  // Number of edges, those of faces included: ids of edges are below it.
  size_t edges;
  // Number of faces.
  size_t faces;
} cloth_mesh_counts;

// The description of an outfit: the faces of all garments and bodies as one mesh. Set it to zero, then set
// what there is. It is copied: the arrays are not needed after the call.
typedef struct {
  // Number of vertices.
  size_t vertex_count;
  // 3 vertices a face, all of one part; those of a body may all look outward or all inward.
  const uint32_t *faces;
  // Number of faces.
  size_t face_count;
  // The part of each vertex, from 0: each garment and each body is one.
  const uint16_t *parts;
  // For each part: not 0 if it is a body.
  const uint8_t *is_body;
  // Number of parts.
  size_t part_count;
} cloth_outfit_desc;

// How many pairs there are, by what they belong to.
typedef struct {
  // Of one garment.
  size_t cloth_self;
  // Of two garments.
  size_t cloth_cloth;
  // Of a garment and a body.
  size_t cloth_body;
  // Of one body.
  size_t body_self;
  // Of two bodies.
  size_t body_body;
} cloth_kind_counts;

// The deepest point of a garment inside of a body.
typedef struct {
  // The vertex, or the face. `CLOTH_NONE` if nothing is inside; the rest is 0 then.
  uint32_t index;
  // The part that is the body.
  uint32_t body;
  // Its distance (m) from the surface of the body.
  double depth;
  // Where (m).
  double position[3];
} cloth_deepest;

// What was found in a state of an outfit.
typedef struct {
  // 1 if nothing meets a garment, no face of one lies on another, and no vertex of one is inside of a
  // body. What bodies do among themselves does not count.
  uint8_t is_clean;
  // Edges and faces that meet.
  cloth_kind_counts intersections;
  // Flat folds, and faces that lie on others.
  cloth_kind_counts folds;
  // Number of vertices of garments that are inside of a body.
  size_t vertices_inside;
  // The vertex that is deepest.
  cloth_deepest deepest_vertex;
  // The face with the deepest point: a body may stand out in the middle of a coarse one. No other is more
  // than 1 % and 1e-5 of the size of the body deeper.
  cloth_deepest deepest_face;
  // The share of the area of all garments that is inside, from 0 to 1.
  double share_inside;
  // That area (m2).
  double area_inside;
  // The area (m2) of all garments.
  double area;
} cloth_outfit_report;

// A body as something to be inside of.
typedef struct {
  // Its part.
  uint16_t part;
  // 1 if it is closed, vertices at one place taken as one. In an open one, inside means what the winding
  // number says: near a hole, as far as the hole covers less than half of the view.
  uint8_t is_closed;
  // 1 if its faces look inward; inside is inside all the same.
  uint8_t is_turned;
} cloth_body_surface;

// One place where parts meet, and what they are.
typedef struct {
  // What meets.
  cloth_between between;
  // Where, and by which vertices and faces. Edges are numbered as in a `cloth_mesh` of the same faces.
  cloth_state_witness witness;
} cloth_outfit_witness;

// A fabric. Stiffness is that of the sheet, so that it does not depend on the mesh.
typedef struct {
  // Mass per area (kg/m2), above 0.
  float density;
  // Membrane stiffness along warp (N/m), above 0.
  float stretch_warp;
  // Membrane stiffness along weft (N/m), above 0.
  float stretch_weft;
  // In-plane shear stiffness (N/m).
  float shear;
  // Bending rigidity (N m).
  float bend;
  // Stiffness-proportional damping (s).
  float damping;
} cloth_fabric;

// A cloth. Set it to zero, then set what there is.
typedef struct {
  // 3 coordinates (m) a vertex: where it starts.
  const double *positions;
  // Number of vertices.
  size_t vertex_count;
  // 3 vertices a face, counter-clockwise from outside.
  const uint32_t *faces;
  // Number of faces.
  size_t face_count;
  // 3 coordinates (m) a vertex: the shape without elastic energy. Null: where it starts.
  const double *rest_positions;
  // A fabric by name: "cotton", "silk", "denim". Null: "cotton". Not read if `fabric` is not null.
  const char *fabric_name;
  // A fabric by its numbers. Null: by name.
  const cloth_fabric *fabric;
  // Distance (m) that cloth keeps from cloth, at most half the shortest edge; 0: what fits the mesh.
  float thickness;
  // Vertices that only the caller moves.
  const uint32_t *pins;
  // Number of them.
  size_t pin_count;
} cloth_cloth_desc;

// A mesh that only the caller moves, and that cloth collides with. Set it to zero, then set what there is.
typedef struct {
  // 3 coordinates (m) a vertex.
  const double *positions;
  // Number of vertices.
  size_t vertex_count;
  // 3 vertices a face.
  const uint32_t *faces;
  // Number of faces.
  size_t face_count;
  // Distance (m) that cloth keeps from it, as for a cloth; 0: what fits the mesh.
  float thickness;
} cloth_body_desc;

// A pose: first the rotation, then the translation.
typedef struct {
  // Translation (m).
  float translation[3];
  // Rotation as a quaternion x, y, z, w, which is normalised; all zero: none.
  float rotation[4];
} cloth_pose;

// A solid without faces. The exact guarantee does not cover it. Set it to zero, then set what there is.
typedef struct {
  // A `cloth_shape`.
  uint32_t shape;
  // Radius (m) of a sphere or a capsule.
  float radius;
  // Half the length of the axis (m) of a capsule.
  float half_length;
  // Half the edge lengths (m) of a box.
  float half_extents[3];
  // Where it is.
  cloth_pose pose;
  // Coulomb friction coefficient.
  float friction;
} cloth_collider_desc;

// From when on a motion is a cut: if the middle goes farther than both `metres` and `sides` and faster than
// `speed`, or if it turns by more than `degrees`, and if in the step before it did neither. Each is at least
// 0.
typedef struct {
  // Distance (m).
  float metres;
  // Distance in longest sides of the box around the cloth at its start.
  float sides;
  // Speed (m/s) over the step.
  float speed;
  // Angle of the turn (degrees).
  float degrees;
} cloth_teleport_limits;

// A simulation. Set it to zero, then set what there is. It is copied: the arrays are not needed after the
// call.
typedef struct {
  // The cloths, which are numbered from 0.
  const cloth_cloth_desc *cloths;
  // Number of them.
  size_t cloth_count;
  // The mesh bodies, which are numbered from 0.
  const cloth_body_desc *bodies;
  // Number of them.
  size_t body_count;
  // The colliders, which are numbered from 0.
  const cloth_collider_desc *colliders;
  // Number of them.
  size_t collider_count;
  // A `cloth_preset`.
  uint32_t preset;
  // Substeps of a step; 0: those of the preset.
  uint32_t substeps;
  // 3 numbers (m/s2). Null: (0, -9.81, 0).
  const float *gravity;
  // Threads of a step, up to `CLOTH_MAX_THREADS`, which the simulation owns; 0 and 1: the calling thread.
  // Results have equal bits for any number.
  uint32_t threads;
  // A `cloth_teleport`.
  uint32_t teleport;
  // From when on, with `CLOTH_TELEPORT_ON`. Null: 1 m, 1 longest side, 60 m/s, 90 degrees.
  const cloth_teleport_limits *teleport_limits;
} cloth_simulation_desc;

// What happened in a step.
typedef struct {
  // Time (s) that has been simulated.
  double time;
  // 1 if the gate certified every substep without exception: at its end no cloth intersects itself,
  // another cloth or a mesh body, and none passed through in between. 0 while something is tangled or was
  // released, and where `cuts` is not 0: what was certified is the motion after the cut.
  uint8_t is_certified;
  // 1 if the straight motion from the last step to this one is certified too.
  uint8_t certified_chord;
  // Substeps taken; 0 if everything sleeps.
  uint32_t substeps;
  // Cloths asleep.
  size_t sleeping;
  // Contacts of cloth with cloth and mesh bodies in the last substep.
  size_t contacts;
  // Contacts with colliders in the last substep.
  size_t collider_contacts;
  // Vertices whose motion the gate changed, in the substep with the most.
  size_t modified_vertices;
  // Vertices that it froze, in the substep with the most.
  size_t frozen_vertices;
  // Pairs of cloth and body that it released, because neither side could be stopped.
  size_t released;
  // Tangles at the end.
  size_t tangles;
  // Largest distance (m) of a pinned vertex from its target.
  float pin_lag;
  // Cloths that were teleported at its start; see `cloth_teleport`.
  size_t cuts;
} cloth_step_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, as in "0.1.0". The text is static.
const char *cloth_version(void);

// Checks a start (m) and makes a certifier that begins there. The mesh is not needed after the call.
//
// `desc` may be null for the default, `threads` too. `*certifier` is null after an error.
// `CLOTH_ERROR_TANGLED` if the start has intersections and they are not admitted; `CLOTH_ERROR_ARGUMENT` if
// a number is not finite, a coordinate is beyond 1e9 m, or a distance is negative or beyond that.
cloth_status cloth_certifier_create_f64(const cloth_mesh *mesh,
                                        const cloth_threads *threads,
                                        const cloth_certifier_desc *desc,
                                        const double *x0,
                                        size_t vertex_count,
                                        cloth_certifier **certifier,
                                        cloth_error *error);

// As `cloth_certifier_create_f64`, for positions in `float`.
cloth_status cloth_certifier_create_f32(const cloth_mesh *mesh,
                                        const cloth_threads *threads,
                                        const cloth_certifier_desc *desc,
                                        const float *x0,
                                        size_t vertex_count,
                                        cloth_certifier **certifier,
                                        cloth_error *error);

// Frees a certifier. Null is allowed. No call may be using it.
cloth_status cloth_certifier_destroy(cloth_certifier *certifier);

// Corrects the end `x1` (m) of a motion from `x0` (m) in place until it is certified, and accepts it.
//
// A start that is not in every bit where the last motion ended is checked again. `inv_mass` has an inverse
// mass (1/kg) for each vertex: 0 is moved by others only where nothing else helps. Vertices of kinematic
// parts are never moved, and get no impulse, whatever theirs. `threads` and `certificate` may be null.
//
// After an error `x1` is unchanged: `CLOTH_ERROR_ARGUMENT` if a number is not finite, a coordinate is beyond
// 1e9 m or an inverse mass is neither 0 nor above 0 with a finite inverse and a finite square,
// `CLOTH_ERROR_TANGLED` if the start is another one and has intersections that are not admitted.
cloth_status cloth_certifier_correct_f64(cloth_certifier *certifier,
                                         const cloth_threads *threads,
                                         const double *x0,
                                         double *x1,
                                         const double *inv_mass,
                                         size_t vertex_count,
                                         cloth_certificate *certificate,
                                         cloth_error *error);

// As `cloth_certifier_correct_f64`, for a certifier of `cloth_certifier_create_f32`.
cloth_status cloth_certifier_correct_f32(cloth_certifier *certifier,
                                         const cloth_threads *threads,
                                         const float *x0,
                                         float *x1,
                                         const float *inv_mass,
                                         size_t vertex_count,
                                         cloth_certificate *certificate,
                                         cloth_error *error);

// Changes the velocities (m/s; 3 numbers a vertex) with which the last motion was proposed to those of the
// accepted one, which takes `dt` (s). Velocities of vertices that no correction concerns are not touched.
cloth_status cloth_certifier_update_velocities_f64(const cloth_certifier *certifier,
                                                   double dt,
                                                   double *velocities,
                                                   size_t vertex_count,
                                                   cloth_error *error);

// As `cloth_certifier_update_velocities_f64`, for a certifier of `cloth_certifier_create_f32`.
cloth_status cloth_certifier_update_velocities_f32(const cloth_certifier *certifier,
                                                   double dt,
                                                   float *velocities,
                                                   size_t vertex_count,
                                                   cloth_error *error);

// Writes the first `capacity` of the `*count` vertices that the last motion changed, ascending. `vertices`
// may be null if `capacity` is 0.
cloth_status cloth_certifier_get_changed(const cloth_certifier *certifier,
                                         uint32_t *vertices,
                                         size_t capacity,
                                         size_t *count,
                                         cloth_error *error);

// Writes the first `capacity` of the `*count` pairs that the last motion released. `pairs` may be null if
// `capacity` is 0.
cloth_status cloth_certifier_get_released(const cloth_certifier *certifier,
                                          cloth_released_pair *pairs,
                                          size_t capacity,
                                          size_t *count,
                                          cloth_error *error);

// Writes the impulse (kg m/s; 3 numbers a vertex) that the last correction amounts to, if the motion takes
// `dt` (s). 0 for vertices without a mass. `impulses` has room for 3 `vertex_count` numbers.
cloth_status cloth_certifier_get_impulses(const cloth_certifier *certifier,
                                          double dt,
                                          double *impulses,
                                          size_t vertex_count,
                                          cloth_error *error);

// Finds everything that intersects in a state, exactly and for all finite positions: `*count` is 0 if and
// only if the state is clean.
//
// `x` has 3 coordinates (m) for each of `vertex_count` vertices. The first `capacity` of the `*count`
// witnesses are written; `witnesses` may be null if `capacity` is 0. `threads` may be null.
cloth_status cloth_check_state_f64(const cloth_mesh *mesh,
                                   const cloth_threads *threads,
                                   const double *x,
                                   size_t vertex_count,
                                   cloth_state_witness *witnesses,
                                   size_t capacity,
                                   size_t *count,
                                   cloth_error *error);

// As `cloth_check_state_f64`, with positions in `float`.
cloth_status cloth_check_state_f32(const cloth_mesh *mesh,
                                   const cloth_threads *threads,
                                   const float *x,
                                   size_t vertex_count,
                                   cloth_state_witness *witnesses,
                                   size_t capacity,
                                   size_t *count,
                                   cloth_error *error);

// Finds the pairs that touch while every vertex moves on a straight line from `x0` to `x1` (m), both ends
// included, exactly and for all finite positions. Whether the start is clean is for `cloth_check_state_f64`.
//
// `search` is a `cloth_search`. The first `capacity` of the `*count` witnesses are written; `witnesses` may
// be null if `capacity` is 0. `threads` may be null.
cloth_status cloth_check_motion_f64(const cloth_mesh *mesh,
                                    const cloth_threads *threads,
                                    const double *x0,
                                    const double *x1,
                                    size_t vertex_count,
                                    uint32_t search,
                                    cloth_motion_witness *witnesses,
                                    size_t capacity,
                                    size_t *count,
                                    cloth_error *error);

// As `cloth_check_motion_f64`, with positions in `float`.
cloth_status cloth_check_motion_f32(const cloth_mesh *mesh,
                                    const cloth_threads *threads,
                                    const float *x0,
                                    const float *x1,
                                    size_t vertex_count,
                                    uint32_t search,
                                    cloth_motion_witness *witnesses,
                                    size_t capacity,
                                    size_t *count,
                                    cloth_error *error);

// The largest share of the motion from `x0` to `x1` (m) after which all pairs are certified to have kept
// farther apart than `min_distance` (m; 0: not to touch), for line searches. It is never too long. For a
// distance above 0 no coordinate may be beyond 1e9 m.
//
// `end`, if it is not null, gets the end of the step: the one that is certified, 3 coordinates a vertex. It
// may be `x0` or `x1`. `threads` may be null.
cloth_status cloth_max_step_f64(const cloth_mesh *mesh,
                                const cloth_threads *threads,
                                const double *x0,
                                const double *x1,
                                size_t vertex_count,
                                double min_distance,
                                double *end,
                                cloth_max_step *step,
                                cloth_error *error);

// As `cloth_max_step_f64`, with positions in `float`.
cloth_status cloth_max_step_f32(const cloth_mesh *mesh,
                                const cloth_threads *threads,
                                const float *x0,
                                const float *x1,
                                size_t vertex_count,
                                double min_distance,
                                float *end,
                                cloth_max_step *step,
                                cloth_error *error);

// Writes a distance (m) for each vertex: while every vertex moves on a straight line by at most its own, in
// any direction, nothing touches. `distances` has room for `vertex_count` numbers. `threads` may be null.
cloth_status cloth_safe_distances_f64(const cloth_mesh *mesh,
                                      const cloth_threads *threads,
                                      const double *x,
                                      size_t vertex_count,
                                      double *distances,
                                      cloth_error *error);

// As `cloth_safe_distances_f64`, in `float`.
cloth_status cloth_safe_distances_f32(const cloth_mesh *mesh,
                                      const cloth_threads *threads,
                                      const float *x,
                                      size_t vertex_count,
                                      float *distances,
                                      cloth_error *error);

// Builds a mesh. `*mesh` is null after an error.
//
// `CLOTH_ERROR_ARGUMENT` if an index is out of range, a face or an edge has equal corners or joins two
// parts, or there are more than 2^30 - 1 of something.
cloth_status cloth_mesh_create(const cloth_mesh_desc *desc,
                               cloth_mesh **mesh,
                               cloth_error *error);

// Frees a mesh. Null is allowed. Certifiers of the mesh stay valid. No call may be using it.
cloth_status cloth_mesh_destroy(cloth_mesh *mesh);

// Counts vertices, edges and faces.
cloth_status cloth_mesh_get_counts(const cloth_mesh *mesh,
                                   cloth_mesh_counts *counts,
                                   cloth_error *error);

// Writes the 2 vertices of each edge, by id, for as many edges as `capacity` says; `*count` is the number of
// all edges. `edges` may be null if `capacity` is 0.
cloth_status cloth_mesh_get_edges(const cloth_mesh *mesh,
                                  uint32_t *edges,
                                  size_t capacity,
                                  size_t *count,
                                  cloth_error *error);

// Builds an outfit. `*outfit` is null after an error.
//
// `CLOTH_ERROR_ARGUMENT` if an index is out of range, a face has equal corners or joins two parts, or a
// vertex is of a part that there is not.
cloth_status cloth_outfit_create(const cloth_outfit_desc *desc,
                                 cloth_outfit **outfit,
                                 cloth_error *error);

// Frees an outfit. Null is allowed. No call may be using it.
cloth_status cloth_outfit_destroy(cloth_outfit *outfit);

// Judges a state: what meets, exactly and for all finite positions, and what of the garments is inside of a
// body, by winding numbers. Whether a body is closed and turned is found in the first state.
//
// `x` has 3 coordinates (m) for each of `vertex_count` vertices. `report` and `threads` may be null.
cloth_status cloth_outfit_check_f64(cloth_outfit *outfit,
                                    const cloth_threads *threads,
                                    const double *x,
                                    size_t vertex_count,
                                    cloth_outfit_report *report,
                                    cloth_error *error);

// As `cloth_outfit_check_f64`, with positions in `float`.
cloth_status cloth_outfit_check_f32(cloth_outfit *outfit,
                                    const cloth_threads *threads,
                                    const float *x,
                                    size_t vertex_count,
                                    cloth_outfit_report *report,
                                    cloth_error *error);

// Writes the vertices of garments that are inside of a body in the last state, ascending, for as many as
// `capacity` says; `*count` is the number of all. `vertices` may be null if `capacity` is 0. One that lies
// on the surface is not inside.
cloth_status cloth_outfit_get_vertices_inside(const cloth_outfit *outfit,
                                              uint32_t *vertices,
                                              size_t capacity,
                                              size_t *count,
                                              cloth_error *error);

// Writes the bodies as they are in the last state, by part, for as many as `capacity` says; `*count` is the
// number of all. `bodies` may be null if `capacity` is 0.
cloth_status cloth_outfit_get_bodies(const cloth_outfit *outfit,
                                     cloth_body_surface *bodies,
                                     size_t capacity,
                                     size_t *count,
                                     cloth_error *error);

// Writes everything that meets in the last state, for as many places as `capacity` says; `*count` is the
// number of all. `witnesses` may be null if `capacity` is 0.
cloth_status cloth_outfit_get_witnesses(const cloth_outfit *outfit,
                                        cloth_outfit_witness *witnesses,
                                        size_t capacity,
                                        size_t *count,
                                        cloth_error *error);

// Builds a simulation. `*simulation` is null after an error, which is `CLOTH_ERROR_ARGUMENT` for whatever
// the description does not allow.
cloth_status cloth_simulation_create(const cloth_simulation_desc *desc,
                                     cloth_simulation **simulation,
                                     cloth_error *error);

// Frees a simulation. Null is allowed. No call may be using it. Threads that it owns end soon after.
cloth_status cloth_simulation_destroy(cloth_simulation *simulation);

// Advances by `dt` (s), which may differ from step to step. Pins, bodies and colliders move on straight
// lines from where they are to where they were told to be at the end, except in a cut (`cloth_teleport`).
// `report` may be null.
//
// After an error nothing has changed: `CLOTH_ERROR_ARGUMENT` for a `dt` that is not finite and above 0,
// `CLOTH_ERROR_STEP` if the step diverged.
cloth_status cloth_simulation_step(cloth_simulation *simulation,
                                   float dt,
                                   cloth_step_report *report,
                                   cloth_error *error);

// Points `*positions` to 3 coordinates (m) for each of `*vertex_count` vertices: those of the cloths in
// their order, then those of the bodies. The memory is of the simulation: it may be read until the next call
// that takes the simulation as not `const`.
cloth_status cloth_simulation_get_positions(const cloth_simulation *simulation,
                                            const float **positions,
                                            size_t *vertex_count,
                                            cloth_error *error);

// Writes the positions (m; 3 coordinates a vertex) of a cloth, for as many vertices as `capacity` says;
// `*vertex_count` is how many it has. `positions` may be null if `capacity` is 0.
cloth_status cloth_simulation_copy_positions(const cloth_simulation *simulation,
                                             size_t cloth,
                                             float *positions,
                                             size_t capacity,
                                             size_t *vertex_count,
                                             cloth_error *error);

// Counts the intersections of cloth with itself, other cloth and mesh bodies in the current state, exactly:
// edges and faces that meet, faces that lie flat on their neighbour, and faces that lie on others.
cloth_status cloth_simulation_count_intersections(const cloth_simulation *simulation,
                                                  size_t *count,
                                                  cloth_error *error);

// A hash of the bits of all positions and velocities, the same on every machine.
cloth_status cloth_simulation_get_hash(const cloth_simulation *simulation,
                                       uint64_t *hash,
                                       cloth_error *error);

// Pins vertices of a cloth where they are. All indices are checked before anything changes.
cloth_status cloth_simulation_pin(cloth_simulation *simulation,
                                  size_t cloth,
                                  const uint32_t *vertices,
                                  size_t vertex_count,
                                  cloth_error *error);

// Frees vertices of a cloth; those that are not pinned are unchanged. All indices are checked before
// anything changes.
cloth_status cloth_simulation_unpin(cloth_simulation *simulation,
                                    size_t cloth,
                                    const uint32_t *vertices,
                                    size_t vertex_count,
                                    cloth_error *error);

// Moves a pinned vertex of a cloth to `target` (m; 3 coordinates) during the next step.
cloth_status cloth_simulation_move_pin(cloth_simulation *simulation,
                                       size_t cloth,
                                       uint32_t vertex,
                                       const float *target,
                                       cloth_error *error);

// Moves the vertices of a mesh body to `positions` (m; 3 coordinates a vertex) during the next step.
cloth_status cloth_simulation_move_body(cloth_simulation *simulation,
                                        size_t body,
                                        const float *positions,
                                        size_t vertex_count,
                                        cloth_error *error);

// Moves a collider to a pose during the next step.
cloth_status cloth_simulation_move_collider(cloth_simulation *simulation,
                                            size_t collider,
                                            const cloth_pose *pose,
                                            cloth_error *error);

// Moves a cloth rigidly and at once, with its pins and their targets; velocities turn with it. Nothing is
// swept, and intersections where it arrives become tangles. `motion` turns about the origin, then
// translates. `CLOTH_ERROR_ARGUMENT` if that is not finite, or takes a vertex beyond 1e7 m; nothing has
// changed then.
cloth_status cloth_simulation_teleport(cloth_simulation *simulation,
                                       size_t cloth,
                                       const cloth_pose *motion,
                                       cloth_error *error);

// Moves everything rigidly and at once, as `cloth_simulation_teleport` one cloth: cloths, mesh bodies and
// colliders, with all targets. Contacts and tangles stay what they are. For a floating origin, or a
// character that is elsewhere with all it wears.
cloth_status cloth_simulation_teleport_all(cloth_simulation *simulation,
                                           const cloth_pose *motion,
                                           cloth_error *error);

// Writes the whole dynamic state as bytes, with a version; they can be restored by another process, in a
// simulation of the same description, which continues bit for bit.
//
// `*count` is the number of bytes; ask for it with a null buffer and capacity 0. `CLOTH_ERROR_CAPACITY` if
// the buffer has fewer, and nothing is written then but `*count`. The number changes with every step.
cloth_status cloth_simulation_snapshot(const cloth_simulation *simulation,
                                       uint8_t *bytes,
                                       size_t capacity,
                                       size_t *count,
                                       cloth_error *error);

// Restores a snapshot of this simulation or of one with the same description. `CLOTH_ERROR_SNAPSHOT` if the
// bytes are damaged or altered, of another version or of another simulation; nothing has changed then.
cloth_status cloth_simulation_restore(cloth_simulation *simulation,
                                      const uint8_t *bytes,
                                      size_t count,
                                      cloth_error *error);

// Starts `count` worker threads, 1 to `CLOTH_MAX_THREADS`.
//
// Pass the pool to calls that take one; with null they work on the calling thread alone. Results have equal
// bits for any number of threads. `*threads` is null after an error.
cloth_status cloth_threads_create(uint32_t count,
                                  cloth_threads **threads,
                                  cloth_error *error);

// Ends the threads, and waits until they have ended. Null is allowed. No call may be using the pool.
cloth_status cloth_threads_destroy(cloth_threads *threads);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLOTH_H */
