/* Null, garbage and numbers out of range at every function: each is an error with a text, and nothing is read or
 * written that is not there. Prints how many calls were checked. */
#define _POSIX_C_SOURCE 200809L
#include "cloth.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checked = 0, wrong = 0;
static cloth_error error;

static void expect(cloth_status got, cloth_status wanted, int line) {
  checked++;
  if (got != wanted || error.status != got || (got == CLOTH_OK) != (error.text[0] == 0)) {
    wrong++;
    fprintf(stderr, "line %d: status %d instead of %d: %s\n", line, (int)got, (int)wanted, error.text);
  }
}
#define EXPECT(wanted, call) expect((call), (wanted), __LINE__)
#define IS_OK(call) EXPECT(CLOTH_OK, call)
#define IS_NULL(call) EXPECT(CLOTH_ERROR_NULL, call)
#define IS_BAD(call) EXPECT(CLOTH_ERROR_ARGUMENT, call)
#define IS_NO_HANDLE(call) EXPECT(CLOTH_ERROR_HANDLE, call)

#define WRONG_IF(condition) \
  do { \
    if (condition) wrong++, fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
  } while (0)

/* Destroying takes no error. */
static void destroys(cloth_status got, cloth_status wanted, int line) {
  error.status = got;
  error.text[0] = got == CLOTH_OK ? 0 : '-';
  expect(got, wanted, line);
}
#define DESTROYS(wanted, call) destroys((call), (wanted), __LINE__)

static int thread_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  struct dirent *entry;
  if (!tasks) return -1;
  while ((entry = readdir(tasks)))
    if (entry->d_name[0] != '.') count++;
  closedir(tasks);
  return count;
}

static const uint32_t faces[] = {0, 1, 2, 3, 4, 5};
static const double clean[] = {0, 0, 0, 0, 0, 4, 4, 0, 0, 1, 1, 1, 1.2, 2, 1, 1, 2, 1.2};
static const double below[] = {0, -1, 0, 0, -1, 4, 4, -1, 0};
static const double masses[] = {1, 1, 1, 1, 1, 1};
static const uint64_t garbage[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static cloth_mesh *new_mesh(void) {
  cloth_mesh_desc desc = {0};
  cloth_mesh *mesh = NULL;
  desc.vertex_count = 6;
  desc.faces = faces;
  desc.face_count = 2;
  IS_OK(cloth_mesh_create(&desc, &mesh, &error));
  return mesh;
}

static void meshes(void) {
  const uint32_t bad_faces[] = {0, 1, 9}, equal[] = {0, 1, 1};
  const uint16_t parts[] = {0, 0, 0, 0, 0, 7};
  const uint8_t kinematic[] = {0};
  cloth_mesh *mesh = (cloth_mesh *)garbage, *good;
  cloth_mesh_counts counts;
  uint32_t edges[12];
  size_t count = 99;
  cloth_mesh_desc desc = {0}, all;
  desc.vertex_count = 6;
  desc.faces = faces;
  desc.face_count = 2;

  IS_NULL(cloth_mesh_create(NULL, &mesh, &error));
  WRONG_IF(mesh);
  IS_NULL(cloth_mesh_create(&desc, NULL, &error));
  IS_BAD(cloth_mesh_create((const cloth_mesh_desc *)((const char *)garbage + 1), &mesh, &error));
  all = desc, all.faces = NULL;
  IS_NULL(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.faces = bad_faces, all.face_count = 1;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.faces = equal, all.face_count = 1;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.face_count = SIZE_MAX;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.face_count = SIZE_MAX / 12 + 2;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.vertex_count = SIZE_MAX;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.faces = (const uint32_t *)((const char *)faces + 1);
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.parts = parts, all.kinematic = kinematic, all.part_count = 1;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.exclusions = bad_faces + 1, all.exclusion_count = 1;
  IS_BAD(cloth_mesh_create(&all, &mesh, &error));
  all = desc, all.edges = NULL, all.edge_count = 3;
  IS_NULL(cloth_mesh_create(&all, &mesh, &error));
  memset(&all, 0, sizeof all);
  IS_OK(cloth_mesh_create(&all, &mesh, &error));
  IS_OK(cloth_check_state_f64(mesh, NULL, NULL, 0, NULL, 0, &count, &error));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(mesh));

  good = new_mesh();
  IS_NULL(cloth_mesh_get_counts(NULL, &counts, &error));
  IS_NULL(cloth_mesh_get_counts(good, NULL, &error));
  IS_NO_HANDLE(cloth_mesh_get_counts((const cloth_mesh *)garbage, &counts, &error));
  IS_NO_HANDLE(cloth_mesh_get_counts((const cloth_mesh *)((const char *)garbage + 1), &counts, &error));
  IS_OK(cloth_mesh_get_counts(good, &counts, &error));
  WRONG_IF(counts.vertices != 6 || counts.edges != 6 || counts.faces != 2);
  IS_NULL(cloth_mesh_get_edges(NULL, edges, 6, &count, &error));
  IS_NULL(cloth_mesh_get_edges(good, NULL, 6, &count, &error));
  IS_NULL(cloth_mesh_get_edges(good, edges, 6, NULL, &error));
  edges[2] = 77;
  IS_OK(cloth_mesh_get_edges(good, edges, 1, &count, &error));
  WRONG_IF(count != 6 || edges[2] != 77);
  IS_OK(cloth_mesh_get_edges(good, edges, 6, &count, &error));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(NULL));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_mesh_destroy((cloth_mesh *)garbage));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_certifier_destroy((cloth_certifier *)good));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_simulation_destroy((cloth_simulation *)good));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_threads_destroy((cloth_threads *)good));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(good));
}

static void judges(void) {
  cloth_mesh *mesh = new_mesh();
  const cloth_mesh *bad = (const cloth_mesh *)garbage;
  const cloth_threads *no_pool = (const cloth_threads *)garbage;
  double through[18], nan[18], out[18];
  float x32[18], out32[18];
  cloth_state_witness states[2];
  cloth_motion_witness hits[2];
  cloth_max_step step;
  size_t count = 99;
  int i;
  for (i = 0; i < 18; i++) {
    nan[i] = through[i] = clean[i];
    x32[i] = (float)clean[i];
  }
  for (i = 10; i < 18; i += 3) through[i] -= 2;
  nan[7] = NAN;

  IS_NULL(cloth_check_state_f64(NULL, NULL, clean, 6, NULL, 0, &count, &error));
  IS_NULL(cloth_check_state_f64(mesh, NULL, NULL, 6, NULL, 0, &count, &error));
  IS_NULL(cloth_check_state_f64(mesh, NULL, clean, 6, NULL, 2, &count, &error));
  IS_NULL(cloth_check_state_f64(mesh, NULL, clean, 6, states, 2, NULL, &error));
  IS_NO_HANDLE(cloth_check_state_f64(bad, NULL, clean, 6, states, 2, &count, &error));
  IS_NO_HANDLE(cloth_check_state_f64(mesh, no_pool, clean, 6, states, 2, &count, &error));
  IS_BAD(cloth_check_state_f64(mesh, NULL, clean, 5, states, 2, &count, &error));
  IS_BAD(cloth_check_state_f64(mesh, NULL, clean, SIZE_MAX, states, 2, &count, &error));
  IS_BAD(cloth_check_state_f64(mesh, NULL, nan, 6, states, 2, &count, &error));
  IS_BAD(cloth_check_state_f64(mesh, NULL, clean, 6, states, SIZE_MAX, &count, &error));
  IS_OK(cloth_check_state_f64(mesh, NULL, clean, 6, states, 2, &count, &error));
  WRONG_IF(count != 0);
  IS_NULL(cloth_check_state_f32(NULL, NULL, x32, 6, states, 2, &count, &error));
  IS_NULL(cloth_check_state_f32(mesh, NULL, NULL, 6, states, 2, &count, &error));
  IS_OK(cloth_check_state_f32(mesh, NULL, x32, 6, states, 2, &count, &error));

  IS_NULL(cloth_check_motion_f64(NULL, NULL, clean, clean, 6, 0, hits, 2, &count, &error));
  IS_NULL(cloth_check_motion_f64(mesh, NULL, NULL, clean, 6, 0, hits, 2, &count, &error));
  IS_NULL(cloth_check_motion_f64(mesh, NULL, clean, NULL, 6, 0, hits, 2, &count, &error));
  IS_NULL(cloth_check_motion_f64(mesh, NULL, clean, clean, 6, 0, NULL, 2, &count, &error));
  IS_NULL(cloth_check_motion_f64(mesh, NULL, clean, clean, 6, 0, hits, 2, NULL, &error));
  IS_NO_HANDLE(cloth_check_motion_f64(bad, NULL, clean, clean, 6, 0, hits, 2, &count, &error));
  IS_BAD(cloth_check_motion_f64(mesh, NULL, clean, clean, 6, 3, hits, 2, &count, &error));
  IS_BAD(cloth_check_motion_f64(mesh, NULL, clean, clean, 6, UINT32_MAX, hits, 2, &count, &error));
  IS_BAD(cloth_check_motion_f64(mesh, NULL, clean, nan, 6, 0, hits, 2, &count, &error));
  IS_OK(cloth_check_motion_f64(mesh, NULL, clean, through, 6, 0, hits, 1, &count, &error));
  WRONG_IF(count < 2);
  IS_NULL(cloth_check_motion_f32(mesh, NULL, NULL, x32, 6, 0, hits, 2, &count, &error));
  IS_OK(cloth_check_motion_f32(mesh, NULL, x32, x32, 6, 1, hits, 2, &count, &error));

  IS_NULL(cloth_max_step_f64(NULL, NULL, clean, clean, 6, 0, out, &step, &error));
  IS_NULL(cloth_max_step_f64(mesh, NULL, NULL, clean, 6, 0, out, &step, &error));
  IS_NULL(cloth_max_step_f64(mesh, NULL, clean, NULL, 6, 0, out, &step, &error));
  IS_NULL(cloth_max_step_f64(mesh, NULL, clean, clean, 6, 0, out, NULL, &error));
  IS_NO_HANDLE(cloth_max_step_f64(bad, NULL, clean, clean, 6, 0, out, &step, &error));
  IS_BAD(cloth_max_step_f64(mesh, NULL, clean, nan, 6, 0, out, &step, &error));
  IS_BAD(cloth_max_step_f64(mesh, NULL, clean, clean, 6, -1, out, &step, &error));
  IS_BAD(cloth_max_step_f64(mesh, NULL, clean, clean, 6, NAN, out, &step, &error));
  IS_OK(cloth_max_step_f64(mesh, NULL, clean, through, 6, 0, NULL, &step, &error));
  WRONG_IF(step.limit != CLOTH_LIMIT_COLLISION || !(step.step > 0.49 && step.step < 0.5));
  /* The end may be written over the proposal. */
  IS_OK(cloth_max_step_f64(mesh, NULL, clean, through, 6, 0, through, &step, &error));
  IS_OK(cloth_check_motion_f64(mesh, NULL, clean, through, 6, 0, NULL, 0, &count, &error));
  WRONG_IF(count != 0);
  IS_OK(cloth_max_step_f64(mesh, NULL, clean, clean, 6, 5, NULL, &step, &error));
  WRONG_IF(step.limit != CLOTH_LIMIT_TOO_NEAR);
  IS_OK(cloth_max_step_f32(mesh, NULL, x32, x32, 6, 0, out32, &step, &error));
  WRONG_IF(step.limit != CLOTH_LIMIT_NONE || out32[3 * 4] != x32[3 * 4]);

  IS_NULL(cloth_safe_distances_f64(NULL, NULL, clean, 6, out, &error));
  IS_NULL(cloth_safe_distances_f64(mesh, NULL, NULL, 6, out, &error));
  IS_NULL(cloth_safe_distances_f64(mesh, NULL, clean, 6, NULL, &error));
  IS_NO_HANDLE(cloth_safe_distances_f64(bad, NULL, clean, 6, out, &error));
  IS_BAD(cloth_safe_distances_f64(mesh, NULL, nan, 6, out, &error));
  IS_OK(cloth_safe_distances_f64(mesh, NULL, clean, 6, out, &error));
  WRONG_IF(!(out[3] > 0.4 && out[3] <= 0.5));
  IS_OK(cloth_safe_distances_f32(mesh, NULL, x32, 6, out32, &error));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(mesh));
}

static void outfits(void) {
  /* The upper triangle is a garment, the lower one a body. */
  const uint16_t parts[] = {1, 1, 1, 0, 0, 0}, mixed[] = {1, 0, 1, 0, 0, 0}, beyond[] = {1, 1, 1, 0, 0, 2};
  const uint8_t is_body[] = {0, 1};
  const uint32_t bad_faces[] = {0, 1, 9}, equal[] = {0, 1, 1};
  const cloth_threads *no_pool = (const cloth_threads *)garbage;
  cloth_outfit *outfit = (cloth_outfit *)garbage;
  cloth_outfit_desc desc = {0}, all;
  cloth_outfit_report report;
  cloth_body_surface bodies[2];
  cloth_outfit_witness witnesses[3];
  cloth_threads *pool = NULL;
  double through[18], nan[18];
  float x32[18];
  uint32_t inside[6];
  size_t count = 99;
  int i;
  for (i = 0; i < 18; i++) {
    nan[i] = through[i] = clean[i];
    x32[i] = (float)clean[i];
  }
  through[10] -= 2;
  nan[7] = NAN;
  desc.vertex_count = 6, desc.faces = faces, desc.face_count = 2;
  desc.parts = parts, desc.is_body = is_body, desc.part_count = 2;

  IS_NULL(cloth_outfit_create(NULL, &outfit, &error));
  WRONG_IF(outfit);
  IS_NULL(cloth_outfit_create(&desc, NULL, &error));
  IS_BAD(cloth_outfit_create((const cloth_outfit_desc *)((const char *)garbage + 1), &outfit, &error));
  all = desc, all.faces = NULL;
  IS_NULL(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.parts = NULL;
  IS_NULL(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.is_body = NULL;
  IS_NULL(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.parts = mixed;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.parts = beyond;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.part_count = 0;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.faces = bad_faces, all.face_count = 1;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.faces = equal, all.face_count = 1;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.vertex_count = SIZE_MAX;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  all = desc, all.face_count = SIZE_MAX;
  IS_BAD(cloth_outfit_create(&all, &outfit, &error));
  WRONG_IF(outfit);
  memset(&all, 0, sizeof all);
  IS_OK(cloth_outfit_create(&all, &outfit, &error));
  IS_OK(cloth_outfit_check_f64(outfit, NULL, NULL, 0, &report, &error));
  WRONG_IF(!report.is_clean || report.share_inside != 0 || report.deepest_face.index != CLOTH_NONE);
  DESTROYS(CLOTH_OK, cloth_outfit_destroy(outfit));

  IS_OK(cloth_outfit_create(&desc, &outfit, &error));
  /* Before any state. */
  IS_BAD(cloth_outfit_get_vertices_inside(outfit, inside, 6, &count, &error));
  IS_BAD(cloth_outfit_get_bodies(outfit, bodies, 2, &count, &error));
  IS_BAD(cloth_outfit_get_witnesses(outfit, witnesses, 3, &count, &error));

  IS_NULL(cloth_outfit_check_f64(NULL, NULL, clean, 6, &report, &error));
  IS_NULL(cloth_outfit_check_f64(outfit, NULL, NULL, 6, &report, &error));
  IS_NO_HANDLE(cloth_outfit_check_f64((cloth_outfit *)garbage, NULL, clean, 6, &report, &error));
  IS_NO_HANDLE(cloth_outfit_check_f64(outfit, no_pool, clean, 6, &report, &error));
  IS_BAD(cloth_outfit_check_f64(outfit, NULL, clean, 5, &report, &error));
  IS_BAD(cloth_outfit_check_f64(outfit, NULL, clean, SIZE_MAX, &report, &error));
  IS_BAD(cloth_outfit_check_f64(outfit, NULL, nan, 6, &report, &error));
  IS_BAD(cloth_outfit_check_f64(outfit, NULL, clean, 6, (cloth_outfit_report *)((char *)&report + 1), &error));
  IS_NULL(cloth_outfit_check_f32(outfit, NULL, NULL, 6, &report, &error));
  IS_OK(cloth_outfit_check_f32(outfit, NULL, x32, 6, &report, &error));
  WRONG_IF(!report.is_clean);
  IS_OK(cloth_outfit_check_f64(outfit, NULL, through, 6, NULL, &error));
  IS_OK(cloth_threads_create(2, &pool, &error));
  IS_OK(cloth_outfit_check_f64(outfit, pool, through, 6, &report, &error));
  DESTROYS(CLOTH_OK, cloth_threads_destroy(pool));
  WRONG_IF(report.is_clean || report.intersections.cloth_body != 2 || report.intersections.cloth_self != 0);
  WRONG_IF(report.area <= 0 || report.folds.cloth_body != 0);

  IS_NULL(cloth_outfit_get_witnesses(NULL, witnesses, 3, &count, &error));
  IS_NULL(cloth_outfit_get_witnesses(outfit, NULL, 3, &count, &error));
  IS_NULL(cloth_outfit_get_witnesses(outfit, witnesses, 3, NULL, &error));
  IS_OK(cloth_outfit_get_witnesses(outfit, witnesses, 3, &count, &error));
  WRONG_IF(count != 2 || witnesses[0].between != CLOTH_BETWEEN_CLOTH_BODY);
  WRONG_IF(witnesses[0].witness.faces[0] != 0);
  IS_NULL(cloth_outfit_get_bodies(NULL, bodies, 2, &count, &error));
  IS_NULL(cloth_outfit_get_bodies(outfit, NULL, 2, &count, &error));
  IS_OK(cloth_outfit_get_bodies(outfit, bodies, 2, &count, &error));
  WRONG_IF(count != 1 || bodies[0].part != 1 || bodies[0].is_closed);
  IS_NULL(cloth_outfit_get_vertices_inside(NULL, inside, 6, &count, &error));
  IS_NULL(cloth_outfit_get_vertices_inside(outfit, inside, 6, NULL, &error));
  IS_NO_HANDLE(cloth_outfit_get_vertices_inside((const cloth_outfit *)garbage, inside, 6, &count, &error));
  IS_OK(cloth_outfit_get_vertices_inside(outfit, NULL, 0, &count, &error));
  WRONG_IF(count != report.vertices_inside);
  /* A state that is refused leaves nothing to ask for. */
  IS_BAD(cloth_outfit_check_f64(outfit, NULL, nan, 6, &report, &error));
  IS_BAD(cloth_outfit_get_bodies(outfit, bodies, 2, &count, &error));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_mesh_destroy((cloth_mesh *)outfit));
  DESTROYS(CLOTH_ERROR_HANDLE, cloth_outfit_destroy((cloth_outfit *)garbage));
  DESTROYS(CLOTH_OK, cloth_outfit_destroy(outfit));
  DESTROYS(CLOTH_OK, cloth_outfit_destroy(NULL));
}

static void certifiers(void) {
  cloth_mesh *mesh = new_mesh();
  cloth_certifier *c = NULL, *c32 = NULL;
  const cloth_certifier *bad = (const cloth_certifier *)garbage;
  cloth_certifier_desc desc = {0};
  cloth_certificate certificate;
  cloth_released_pair pairs[2];
  double tangled[18], x1[18], nan[18], v[18] = {0}, negative[6];
  float x32[18], y32[18], masses32[6], v32[18] = {0};
  uint32_t changed[6];
  size_t count = 99;
  int i;
  for (i = 0; i < 18; i++) {
    nan[i] = tangled[i] = x1[i] = clean[i];
    x32[i] = y32[i] = (float)clean[i];
  }
  for (i = 0; i < 6; i++) negative[i] = masses32[i] = 1;
  tangled[10] = -1;
  nan[0] = INFINITY;
  negative[3] = -1;

  IS_NULL(cloth_certifier_create_f64(NULL, NULL, NULL, clean, 6, &c, &error));
  IS_NULL(cloth_certifier_create_f64(mesh, NULL, NULL, NULL, 6, &c, &error));
  IS_NULL(cloth_certifier_create_f64(mesh, NULL, NULL, clean, 6, NULL, &error));
  IS_NO_HANDLE(cloth_certifier_create_f64((cloth_mesh *)bad, NULL, NULL, clean, 6, &c, &error));
  IS_NO_HANDLE(cloth_certifier_create_f64(mesh, (cloth_threads *)mesh, NULL, clean, 6, &c, &error));
  IS_BAD(cloth_certifier_create_f64(mesh, NULL, NULL, clean, 7 - 2, &c, &error));
  IS_BAD(cloth_certifier_create_f64(mesh, NULL, NULL, nan, 6, &c, &error));
  EXPECT(CLOTH_ERROR_TANGLED, cloth_certifier_create_f64(mesh, NULL, &desc, tangled, 6, &c, &error));
  WRONG_IF(c);
  desc.thickness = NAN;
  IS_BAD(cloth_certifier_create_f64(mesh, NULL, &desc, clean, 6, &c, &error));
  desc.thickness = 0, desc.clearance = -1;
  IS_BAD(cloth_certifier_create_f64(mesh, NULL, &desc, clean, 6, &c, &error));
  IS_OK(cloth_certifier_create_f64(mesh, NULL, NULL, clean, 6, &c, &error));
  IS_NULL(cloth_certifier_create_f32(mesh, NULL, NULL, NULL, 6, &c32, &error));
  IS_OK(cloth_certifier_create_f32(mesh, NULL, NULL, x32, 6, &c32, &error));

  /* Before any motion. */
  IS_BAD(cloth_certifier_get_changed(c, changed, 6, &count, &error));
  IS_BAD(cloth_certifier_update_velocities_f64(c, 1, v, 6, &error));

  IS_NULL(cloth_certifier_correct_f64(NULL, NULL, clean, x1, masses, 6, &certificate, &error));
  IS_NULL(cloth_certifier_correct_f64(c, NULL, NULL, x1, masses, 6, &certificate, &error));
  IS_NULL(cloth_certifier_correct_f64(c, NULL, clean, NULL, masses, 6, &certificate, &error));
  IS_NULL(cloth_certifier_correct_f64(c, NULL, clean, x1, NULL, 6, &certificate, &error));
  IS_NO_HANDLE(cloth_certifier_correct_f64((cloth_certifier *)mesh, NULL, clean, x1, masses, 6, NULL, &error));
  IS_NO_HANDLE(cloth_certifier_correct_f64(c32, NULL, clean, x1, masses, 6, NULL, &error));
  IS_NO_HANDLE(cloth_certifier_correct_f32(c, NULL, x32, y32, masses32, 6, NULL, &error));
  IS_BAD(cloth_certifier_correct_f64(c, NULL, clean, x1, masses, 5, NULL, &error));
  IS_BAD(cloth_certifier_correct_f64(c, NULL, clean, x1, masses, SIZE_MAX, NULL, &error));
  IS_BAD(cloth_certifier_correct_f64(c, NULL, clean, nan, masses, 6, NULL, &error));
  IS_BAD(cloth_certifier_correct_f64(c, NULL, clean, x1, negative, 6, NULL, &error));
  EXPECT(CLOTH_ERROR_TANGLED, cloth_certifier_correct_f64(c, NULL, tangled, x1, masses, 6, NULL, &error));
  WRONG_IF(memcmp(x1, clean, sizeof x1));
  IS_OK(cloth_certifier_correct_f64(c, NULL, clean, tangled, masses, 6, &certificate, &error));
  WRONG_IF(!certificate.is_unconditional || certificate.changed == 0);
  y32[10] = -1;
  IS_OK(cloth_certifier_correct_f32(c32, NULL, x32, y32, masses32, 6, NULL, &error));
  WRONG_IF(!(y32[10] > -1));

  IS_NULL(cloth_certifier_get_changed(NULL, changed, 6, &count, &error));
  IS_NULL(cloth_certifier_get_changed(c, NULL, 6, &count, &error));
  IS_NULL(cloth_certifier_get_changed(c, changed, 6, NULL, &error));
  IS_NO_HANDLE(cloth_certifier_get_changed(bad, changed, 6, &count, &error));
  IS_OK(cloth_certifier_get_changed(c, changed, 6, &count, &error));
  WRONG_IF(count != certificate.changed);
  IS_NULL(cloth_certifier_get_released(NULL, pairs, 2, &count, &error));
  IS_NULL(cloth_certifier_get_released(c, NULL, 2, &count, &error));
  IS_OK(cloth_certifier_get_released(c, pairs, 2, &count, &error));
  WRONG_IF(count != 0);
  IS_NULL(cloth_certifier_get_impulses(NULL, 1, v, 6, &error));
  IS_NULL(cloth_certifier_get_impulses(c, 1, NULL, 6, &error));
  IS_BAD(cloth_certifier_get_impulses(c, 0, v, 6, &error));
  IS_BAD(cloth_certifier_get_impulses(c, 1, v, 7, &error));
  IS_OK(cloth_certifier_get_impulses(c, 0.5, v, 6, &error));
  IS_NULL(cloth_certifier_update_velocities_f64(NULL, 1, v, 6, &error));
  IS_NULL(cloth_certifier_update_velocities_f64(c, 1, NULL, 6, &error));
  IS_BAD(cloth_certifier_update_velocities_f64(c, NAN, v, 6, &error));
  IS_BAD(cloth_certifier_update_velocities_f64(c, 1, v, 5, &error));
  IS_NO_HANDLE(cloth_certifier_update_velocities_f32(c, 1, v32, 6, &error));
  IS_OK(cloth_certifier_update_velocities_f32(c32, 1, v32, 6, &error));
  WRONG_IF(!(v32[10] > 0));
  /* The mesh is not needed any more. */
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(mesh));
  IS_OK(cloth_certifier_correct_f64(c, NULL, tangled, x1, masses, 6, NULL, &error));
  DESTROYS(CLOTH_OK, cloth_certifier_destroy(c));
  DESTROYS(CLOTH_OK, cloth_certifier_destroy(c32));
  DESTROYS(CLOTH_OK, cloth_certifier_destroy(NULL));
}

/* What is kinematic is not moved and gets no impulse, whatever inverse mass it has here. */
static void kinematic_parts(void) {
  const uint16_t parts[] = {0, 0, 0, 1, 1, 1};
  const uint8_t kinematic[] = {1, 0};
  cloth_mesh_desc desc = {0};
  cloth_mesh *mesh = NULL;
  cloth_certifier *c = NULL;
  cloth_certificate certificate;
  double x1[18], wanted[18], impulses[18], overflowing[] = {1, 1, 1, 1, 1, 1e200};
  int i;
  desc.vertex_count = 6, desc.faces = faces, desc.face_count = 2;
  desc.parts = parts, desc.kinematic = kinematic, desc.part_count = 2;
  IS_OK(cloth_mesh_create(&desc, &mesh, &error));
  IS_OK(cloth_certifier_create_f64(mesh, NULL, NULL, clean, 6, &c, &error));
  for (i = 0; i < 18; i++) wanted[i] = x1[i] = clean[i] - (i > 8 && i % 3 == 1 ? 2 : 0);
  IS_BAD(cloth_certifier_correct_f64(c, NULL, clean, x1, overflowing, 6, NULL, &error));
  IS_OK(cloth_certifier_correct_f64(c, NULL, clean, x1, masses, 6, &certificate, &error));
  WRONG_IF(!certificate.is_unconditional || certificate.changed == 0);
  WRONG_IF(memcmp(x1, wanted, 9 * sizeof *x1));
  IS_OK(cloth_certifier_get_impulses(c, 0.5, impulses, 6, &error));
  for (i = 0; i < 9; i++) WRONG_IF(impulses[i] != 0);
  DESTROYS(CLOTH_OK, cloth_certifier_destroy(c));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(mesh));
}

/* The cuts of a step in which the pins of the first cloth go 9 m; a step with a cut is not certified. */
static size_t cuts_of(const cloth_simulation_desc *desc) {
  const cloth_cloth_desc *cloth = desc->cloths;
  cloth_simulation *sim = NULL;
  cloth_step_report report = {0};
  size_t k;
  IS_OK(cloth_simulation_create(desc, &sim, &error));
  for (k = 0; k < cloth->pin_count; k++) {
    const double *pin = cloth->positions + 3 * cloth->pins[k];
    const float target[] = {(float)pin[0] + 9, (float)pin[1], (float)pin[2]};
    IS_OK(cloth_simulation_move_pin(sim, 0, cloth->pins[k], target, &error));
  }
  IS_OK(cloth_simulation_step(sim, 0.01f, &report, &error));
  WRONG_IF(report.cuts && (report.is_certified || report.certified_chord));
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(sim));
  return report.cuts;
}

/* Whether six vertices are where a half turn about y and a translation take them. */
static int is_near(const float *x, const double *from, const cloth_pose *motion) {
  const double turned[] = {-1, 1, -1};
  int k;
  for (k = 0; k < 18; k++)
    if (fabs(x[k] - turned[k % 3] * from[k] - motion->translation[k % 3]) > 1e-5) return 0;
  return 1;
}

static void simulations(void) {
  const float gravity[] = {0, NAN, 0}, target[] = {0, 2, 0}, far_off[] = {0, INFINITY, 0};
  const uint32_t pins[] = {0}, no_pins[] = {77};
  const cloth_simulation *bad = (const cloth_simulation *)garbage;
  cloth_simulation *sim = NULL, *other = NULL;
  cloth_cloth_desc cloth = {0}, cloths;
  cloth_body_desc body = {0};
  cloth_collider_desc collider = {0};
  cloth_simulation_desc desc = {0}, all;
  cloth_fabric fabric = {0};
  cloth_teleport_limits limits = {1, 1, 60, 90};
  const cloth_pose far = {{20, 1, -3}, {0, 1, 0, 0}}, nowhere = {{INFINITY, 0, 0}, {0}}, turned = {{0}, {NAN, 0, 0, 1}};
  cloth_pose pose = {{0}, {0}};
  cloth_step_report report;
  const float *x = NULL;
  float copy[18];
  uint8_t *bytes;
  uint64_t hash = 0, hash2 = 1;
  size_t count = 99, size = 0;
  cloth.positions = clean;
  cloth.vertex_count = 6;
  cloth.faces = faces;
  cloth.face_count = 2;
  cloth.pins = pins;
  cloth.pin_count = 1;
  body = (cloth_body_desc){below, 3, faces, 1, 0};
  collider.friction = 0.3f;
  collider.pose.translation[1] = -9;
  desc.colliders = &collider;
  desc.collider_count = 1;
  desc.cloths = &cloth;
  desc.cloth_count = 1;
  cloth.thickness = 0.01f;

  IS_NULL(cloth_simulation_create(NULL, &sim, &error));
  IS_NULL(cloth_simulation_create(&desc, NULL, &error));
  all = desc, all.cloths = NULL;
  IS_NULL(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.cloth_count = SIZE_MAX;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.preset = 3;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.gravity = gravity;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.teleport = 3;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.teleport = CLOTH_TELEPORT_ON, all.teleport_limits = &limits;
  limits.speed = NAN;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  WRONG_IF(!strstr(error.text, "teleport.speed"));
  limits.speed = 60, limits.degrees = -1;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  limits.degrees = 90, all.teleport_limits = (const cloth_teleport_limits *)((const char *)&limits + 1);
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.threads = UINT32_MAX;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, all.cloths = &cloths;
  cloths = cloth, cloths.positions = NULL;
  IS_NULL(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.face_count = SIZE_MAX / 2;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.vertex_count = 3;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.fabric_name = "cotten";
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  WRONG_IF(!strstr(error.text, "cloth 0: no fabric is called \"cotten\""));
  cloths = cloth, cloths.fabric_name = "\xff\xfe";
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.fabric = &fabric;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.thickness = -1;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  cloths = cloth, cloths.pins = no_pins;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  all = desc, collider.shape = 9;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  collider.shape = CLOTH_SHAPE_SPHERE;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  collider.radius = 1, collider.pose.rotation[3] = NAN;
  IS_BAD(cloth_simulation_create(&all, &sim, &error));
  collider.shape = 0, collider.pose.rotation[3] = 2;
  WRONG_IF(sim);
  desc.bodies = &body;
  desc.body_count = 1;
  cloth.faces = faces + 3; /* the upper triangle; below it is the body */
  cloth.face_count = 1;
  IS_OK(cloth_simulation_create(&desc, &sim, &error));
  IS_OK(cloth_simulation_create(&desc, &other, &error));

  IS_NULL(cloth_simulation_step(NULL, 0.01f, NULL, &error));
  IS_NO_HANDLE(cloth_simulation_step((cloth_simulation *)garbage, 0.01f, NULL, &error));
  IS_BAD(cloth_simulation_step(sim, NAN, &report, &error));
  IS_BAD(cloth_simulation_step(sim, -1, &report, &error));
  EXPECT(CLOTH_ERROR_STEP, cloth_simulation_step(sim, 1e38f, &report, &error));
  IS_OK(cloth_simulation_step(sim, 0.01f, NULL, &error));
  IS_OK(cloth_simulation_step(sim, 0.01f, &report, &error));
  WRONG_IF(!report.is_certified || report.substeps != 16);

  IS_NULL(cloth_simulation_get_positions(NULL, &x, &count, &error));
  IS_NULL(cloth_simulation_get_positions(sim, NULL, &count, &error));
  IS_NULL(cloth_simulation_get_positions(sim, &x, NULL, &error));
  IS_OK(cloth_simulation_get_positions(sim, &x, &count, &error));
  WRONG_IF(count != 9 || x[0] != 0);
  IS_NULL(cloth_simulation_copy_positions(NULL, 0, copy, 6, &count, &error));
  IS_NULL(cloth_simulation_copy_positions(sim, 0, NULL, 6, &count, &error));
  IS_BAD(cloth_simulation_copy_positions(sim, 1, copy, 6, &count, &error));
  IS_OK(cloth_simulation_copy_positions(sim, 0, copy, 6, &count, &error));
  WRONG_IF(count != 6 || memcmp(x, copy, sizeof copy));
  IS_NULL(cloth_simulation_count_intersections(NULL, &count, &error));
  IS_NULL(cloth_simulation_count_intersections(sim, NULL, &error));
  IS_OK(cloth_simulation_count_intersections(sim, &count, &error));
  WRONG_IF(count != 0);

  IS_NULL(cloth_simulation_pin(NULL, 0, pins, 1, &error));
  IS_NULL(cloth_simulation_pin(sim, 0, NULL, 1, &error));
  IS_BAD(cloth_simulation_pin(sim, SIZE_MAX, pins, 1, &error));
  IS_BAD(cloth_simulation_pin(sim, 0, no_pins, 1, &error));
  IS_OK(cloth_simulation_pin(sim, 0, faces + 3, 2, &error));
  IS_NULL(cloth_simulation_unpin(NULL, 0, pins, 1, &error));
  IS_NULL(cloth_simulation_unpin(sim, 0, NULL, 1, &error));
  IS_BAD(cloth_simulation_unpin(sim, 0, no_pins, 1, &error));
  IS_OK(cloth_simulation_unpin(sim, 0, faces + 4, 1, &error));
  IS_NULL(cloth_simulation_move_pin(NULL, 0, 3, target, &error));
  IS_NULL(cloth_simulation_move_pin(sim, 0, 3, NULL, &error));
  IS_BAD(cloth_simulation_move_pin(sim, 0, 4, target, &error)); /* not pinned any more */
  IS_BAD(cloth_simulation_move_pin(sim, 0, 99, target, &error));
  IS_BAD(cloth_simulation_move_pin(sim, 0, 3, far_off, &error));
  IS_OK(cloth_simulation_move_pin(sim, 0, 3, target, &error));
  IS_NULL(cloth_simulation_move_body(NULL, 0, copy, 3, &error));
  IS_NULL(cloth_simulation_move_body(sim, 0, NULL, 3, &error));
  IS_BAD(cloth_simulation_move_body(sim, 1, copy, 3, &error));
  IS_BAD(cloth_simulation_move_body(sim, 0, copy, 2, &error));
  IS_OK(cloth_simulation_move_body(sim, 0, copy, 3, &error));
  IS_NULL(cloth_simulation_move_collider(NULL, 0, &pose, &error));
  IS_NULL(cloth_simulation_move_collider(sim, 0, NULL, &error));
  IS_BAD(cloth_simulation_move_collider(sim, 5, &pose, &error));
  pose.translation[0] = NAN;
  IS_BAD(cloth_simulation_move_collider(sim, 0, &pose, &error));
  pose.translation[0] = 0, pose.translation[1] = -8;
  IS_OK(cloth_simulation_move_collider(sim, 0, &pose, &error));
  IS_OK(cloth_simulation_step(sim, 0.01f, &report, &error));

  IS_NULL(cloth_simulation_get_hash(NULL, &hash, &error));
  IS_NULL(cloth_simulation_get_hash(sim, NULL, &error));
  IS_NULL(cloth_simulation_snapshot(NULL, NULL, 0, &size, &error));
  IS_NULL(cloth_simulation_snapshot(sim, NULL, 0, NULL, &error));
  IS_NULL(cloth_simulation_snapshot(sim, NULL, 9, &size, &error));
  IS_NO_HANDLE(cloth_simulation_snapshot(bad, NULL, 0, &size, &error));
  IS_OK(cloth_simulation_snapshot(sim, NULL, 0, &size, &error));
  bytes = malloc(size);
  if (!bytes) exit(2);
  EXPECT(CLOTH_ERROR_CAPACITY, cloth_simulation_snapshot(sim, bytes, size - 1, &count, &error));
  IS_OK(cloth_simulation_snapshot(sim, bytes, size, &count, &error));
  WRONG_IF(count != size);
  IS_OK(cloth_simulation_restore(other, bytes, size, &error));
  IS_OK(cloth_simulation_step(sim, 0.01f, &report, &error));
  IS_OK(cloth_simulation_step(other, 0.01f, &report, &error));
  IS_OK(cloth_simulation_get_hash(sim, &hash, &error));
  IS_OK(cloth_simulation_get_hash(other, &hash2, &error));
  WRONG_IF(hash != hash2);
  IS_NULL(cloth_simulation_restore(NULL, bytes, size, &error));
  IS_NULL(cloth_simulation_restore(sim, NULL, size, &error));
  EXPECT(CLOTH_ERROR_SNAPSHOT, cloth_simulation_restore(sim, NULL, 0, &error));
  EXPECT(CLOTH_ERROR_SNAPSHOT, cloth_simulation_restore(sim, bytes, size / 2, &error));
  EXPECT(CLOTH_ERROR_SNAPSHOT, cloth_simulation_restore(sim, (const uint8_t *)garbage, 64, &error));
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(other));
  desc.body_count = 0;
  IS_OK(cloth_simulation_create(&desc, &other, &error));
  EXPECT(CLOTH_ERROR_SNAPSHOT, cloth_simulation_restore(other, bytes, size, &error));
  bytes[size / 2] ^= 1;
  EXPECT(CLOTH_ERROR_SNAPSHOT, cloth_simulation_restore(sim, bytes, size, &error));
  IS_OK(cloth_simulation_get_hash(sim, &hash2, &error));
  WRONG_IF(hash != hash2);
  free(bytes);
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(sim));
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(other));
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(NULL));

  /* Cuts are on by choice or by the preset, from limits of one's own or the usual ones on. All vertices are pins. */
  cloth.faces = cloth.pins = faces;
  cloth.face_count = 2, cloth.pin_count = 6;
  desc.teleport = CLOTH_TELEPORT_ON;
  WRONG_IF(cuts_of(&desc) != 1);
  limits.metres = 10, desc.teleport_limits = &limits;
  WRONG_IF(cuts_of(&desc) != 0);
  desc.teleport = CLOTH_TELEPORT_PRESET, desc.teleport_limits = NULL;
  WRONG_IF(cuts_of(&desc) != 0);
  desc.preset = CLOTH_PRESET_GAME;
  WRONG_IF(cuts_of(&desc) != 1);
  desc.teleport = CLOTH_TELEPORT_OFF;
  WRONG_IF(cuts_of(&desc) != 0);

  IS_OK(cloth_simulation_create(&desc, &sim, &error));
  IS_OK(cloth_simulation_get_hash(sim, &hash, &error));
  IS_NULL(cloth_simulation_teleport(NULL, 0, &far, &error));
  IS_NO_HANDLE(cloth_simulation_teleport((cloth_simulation *)garbage, 0, &far, &error));
  IS_NULL(cloth_simulation_teleport(sim, 0, NULL, &error));
  IS_BAD(cloth_simulation_teleport(sim, 1, &far, &error));
  IS_BAD(cloth_simulation_teleport(sim, 0, &nowhere, &error));
  IS_BAD(cloth_simulation_teleport(sim, 0, &turned, &error));
  IS_NULL(cloth_simulation_teleport_all(NULL, &far, &error));
  IS_NULL(cloth_simulation_teleport_all(sim, NULL, &error));
  IS_BAD(cloth_simulation_teleport_all(sim, &nowhere, &error));
  IS_BAD(cloth_simulation_teleport_all(sim, &turned, &error));
  IS_OK(cloth_simulation_get_hash(sim, &hash2, &error));
  WRONG_IF(hash != hash2);
  IS_OK(cloth_simulation_teleport(sim, 0, &far, &error));
  IS_OK(cloth_simulation_copy_positions(sim, 0, copy, 6, &count, &error));
  WRONG_IF(!is_near(copy, clean, &far));
  IS_OK(cloth_simulation_step(sim, 0.01f, &report, &error));
  WRONG_IF(!report.is_certified || report.cuts != 0);
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(sim));
  IS_OK(cloth_simulation_create(&desc, &sim, &error));
  IS_OK(cloth_simulation_teleport_all(sim, &far, &error));
  IS_OK(cloth_simulation_get_positions(sim, &x, &count, &error));
  WRONG_IF(!is_near(x, clean, &far));
  DESTROYS(CLOTH_OK, cloth_simulation_destroy(sim));
}

static void pools(void) {
  cloth_threads *pool = NULL;
  cloth_mesh *mesh = new_mesh();
  size_t count = 99;
  IS_NULL(cloth_threads_create(1, NULL, &error));
  IS_BAD(cloth_threads_create(0, &pool, &error));
  IS_BAD(cloth_threads_create(UINT32_MAX, &pool, &error));
  WRONG_IF(pool || thread_count() > 1); /* no thread of the library runs */
  IS_OK(cloth_threads_create(2, &pool, &error));
  WRONG_IF(thread_count() == 1);
  IS_OK(cloth_check_state_f64(mesh, pool, clean, 6, NULL, 0, &count, &error));
  DESTROYS(CLOTH_OK, cloth_threads_destroy(pool));
  WRONG_IF(thread_count() > 1); /* the threads have ended */
  DESTROYS(CLOTH_OK, cloth_threads_destroy(NULL));
  DESTROYS(CLOTH_OK, cloth_mesh_destroy(mesh));
}

int main(void) {
  /* No error is asked for, or where there is no place for one. */
  checked += cloth_mesh_create(NULL, NULL, NULL) == CLOTH_ERROR_NULL;
  checked += cloth_mesh_create(NULL, NULL, (cloth_error *)((const char *)garbage + 1)) == CLOTH_ERROR_NULL;
  meshes();
  judges();
  outfits();
  certifiers();
  kinematic_parts();
  simulations();
  pools();
  printf("cloth %s: %d calls checked, %d wrong\n", cloth_version(), checked, wrong);
  return wrong != 0;
}
