/* A triangle falls through another one: the judge finds it, the gate prevents it. */
#include "cloth.h"

#include <stdio.h>

static int failed(const cloth_error *error) {
  fprintf(stderr, "cloth: %s\n", error->text);
  return 1;
}

int main(void) {
  const uint32_t faces[] = {0, 1, 2, 3, 4, 5};
  const double x0[] = {0, 0, 0, 0, 0, 4, 4, 0, 0, 1, 1, 1, 1.2, 2, 1, 1, 2, 1.2};
  const double inv_mass[] = {0, 0, 0, 1, 1, 1};
  double x1[18], v[18] = {0};
  const double dt = 0.5;
  cloth_mesh_desc desc = {0};
  cloth_mesh *mesh = NULL;
  cloth_certifier *certifier = NULL;
  cloth_certificate certificate;
  cloth_motion_witness hit;
  cloth_error error;
  size_t count = 0;
  int i, status = 0;

  for (i = 0; i < 18; i++) x1[i] = x0[i];
  for (i = 10; i < 18; i += 3) {
    x1[i] -= 2;
    v[i] = -2 / dt;
  }

  desc.vertex_count = 6;
  desc.faces = faces;
  desc.face_count = 2;
  if (cloth_mesh_create(&desc, &mesh, &error)) return failed(&error);

  if (cloth_check_motion_f64(mesh, NULL, x0, x1, 6, CLOTH_SEARCH_EARLIEST, &hit, 1, &count, &error))
    status = failed(&error);
  else if (count > 0)
    printf("vertex %u meets face %u at %.3f of the motion\n", (unsigned)hit.ids[0],
           (unsigned)hit.ids[1], hit.time);

  if (!status &&
      (cloth_certifier_create_f64(mesh, NULL, NULL, x0, 6, &certifier, &error) ||
       cloth_certifier_correct_f64(certifier, NULL, x0, x1, inv_mass, 6, &certificate, &error) ||
       cloth_certifier_update_velocities_f64(certifier, dt, v, 6, &error) ||
       cloth_check_state_f64(mesh, NULL, x1, 6, NULL, 0, &count, &error)))
    status = failed(&error);
  if (!status)
    printf("%u vertices corrected, %s, %u intersections, vertex 3 stops at %.3f m with %.2f m/s\n",
           (unsigned)certificate.changed,
           certificate.is_unconditional ? "certified" : "with exceptions", (unsigned)count, x1[10],
           v[10]);

  cloth_certifier_destroy(certifier);
  cloth_mesh_destroy(mesh);
  return status;
}
